// The badge of a domain: its state in one or two words.
import type { badges } from '../../../server/publishing/domains/state/badge.ts'
import { StateBadge, type Tone } from '../../components/state-badge.tsx'
import type { Domain } from './domain-queries.ts'

type Badge = Domain['badge']

/** The words of the server, so that the command line and the dashboard cannot differ. */
export const badgeTitles: { [B in Badge]: (typeof badges)[B] } = {
  add_dns_record: 'Add DNS record',
  fix_dns: 'Fix DNS',
  propagating: 'Propagating',
  prove_ownership: 'Prove ownership',
  issuing_certificate: 'Issuing certificate',
  needs_attention: 'Needs attention',
  retrying: 'Retrying',
  active: 'Active',
  at_risk: 'At risk',
  suspended: 'Suspended',
  paused: 'Paused',
}

const tones: Record<Badge, Tone> = {
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
export const toneOf = (badge: Badge): Tone => tones[badge]

export function DomainBadge({ badge }: { badge: Badge }) {
  return (
    <StateBadge tone={tones[badge]} size="lg">
      {badgeTitles[badge]}
    </StateBadge>
  )
}
