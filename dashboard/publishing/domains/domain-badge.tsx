// The one word for a domain. Its words are the server's; here is only how each looks.
import { Badge } from '@mantine/core'
import { badges, type Badge as Name } from '../../../server/publishing/domains/badge.ts'
import classes from './domain-badge.module.css'

type Tone = 'good' | 'busy' | 'act' | 'bad' | 'still'

const tones: Record<Name, Tone> = {
  add_dns_record: 'act',
  fix_dns: 'bad',
  propagating: 'busy',
  prove_ownership: 'act',
  issuing_certificate: 'busy',
  needs_attention: 'bad',
  retrying: 'busy',
  active: 'good',
  at_risk: 'bad',
  suspended: 'still',
  paused: 'still',
}
export const toneOf = (badge: Name): Tone => tones[badge]

export function DomainBadge({ badge }: { badge: Name }) {
  const tone = tones[badge]
  return (
    <Badge
      className={classes.badge ?? ''}
      radius="sm"
      size="lg"
      tt="none"
      fw={600}
      data-tone={tone}
    >
      {badges[badge]}
    </Badge>
  )
}
