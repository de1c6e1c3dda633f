// The badges of domains: title and tone. The type of the titles is the server's.
import type { badges as titles } from '../../../server/publishing/domains/state/badge.ts'
import type { Tone } from '../../components/state-badge.tsx'

type Badges = { [B in keyof typeof titles]: { title: (typeof titles)[B]; tone: Tone } }

export const badges: Badges = {
  add_dns_record: { title: 'Add DNS record', tone: 'act' },
  fix_dns: { title: 'Fix DNS', tone: 'bad' },
  propagating: { title: 'Propagating', tone: 'busy' },
  prove_ownership: { title: 'Prove ownership', tone: 'act' },
  issuing_certificate: { title: 'Issuing certificate', tone: 'busy' },
  needs_attention: { title: 'Needs attention', tone: 'bad' },
  retrying: { title: 'Retrying', tone: 'busy' },
  active: { title: 'Active', tone: 'good' },
  at_risk: { title: 'At risk', tone: 'bad' },
  suspended: { title: 'Suspended', tone: 'still' },
  paused: { title: 'Paused', tone: 'still' },
}
