// The badges of domains: title and tone. The type of the titles is the server's.
import type { badges as titles } from '../../../server/publishing/domains/state/badge.ts'
import type { Tone } from '../../components/state-badge.tsx'

type Badges = { [B in keyof typeof titles]: { title: (typeof titles)[B]; tone: Tone } }

export const badges: Badges = {
  add_dns_record: { title: 'Add DNS record', tone: 'action' },
  fix_dns: { title: 'Fix DNS', tone: 'danger' },
  propagating: { title: 'Propagating', tone: 'progress' },
  prove_ownership: { title: 'Prove ownership', tone: 'action' },
  issuing_certificate: { title: 'Issuing certificate', tone: 'progress' },
  needs_attention: { title: 'Needs attention', tone: 'danger' },
  retrying: { title: 'Retrying', tone: 'progress' },
  active: { title: 'Active', tone: 'success' },
  at_risk: { title: 'At risk', tone: 'danger' },
  suspended: { title: 'Suspended', tone: 'neutral' },
  paused: { title: 'Paused', tone: 'neutral' },
}
