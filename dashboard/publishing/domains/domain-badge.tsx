// The one word for a domain. Its words are the server's; here is only how each looks.
import { badges, type Badge as Name } from '../../../server/publishing/domains/state/badge.ts'
import { StateBadge, type Tone } from '../../components/state-badge.tsx'

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
  return (
    <StateBadge tone={tones[badge]} size="lg">
      {badges[badge]}
    </StateBadge>
  )
}
