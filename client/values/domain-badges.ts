// What the status of a domain is called, in the dashboard, the command line and mail, and its tone there.

export const badges = {
  add_dns_record: { title: 'Add DNS record', tone: 'action' },
  fix_dns: { title: 'Fix DNS', tone: 'danger' },
  propagating: { title: 'Propagating', tone: 'progress' },
  prove_ownership: { title: 'Prove ownership', tone: 'action' },
  prepare_certificate: { title: 'Prepare certificate', tone: 'action' },
  ready_to_switch: { title: 'Ready to switch', tone: 'success' },
  switching: { title: 'Switching', tone: 'progress' },
  issuing_certificate: { title: 'Issuing certificate', tone: 'progress' },
  needs_attention: { title: 'Needs attention', tone: 'danger' },
  retrying: { title: 'Retrying', tone: 'progress' },
  active: { title: 'Active', tone: 'success' },
  at_risk: { title: 'At risk', tone: 'danger' },
  suspended: { title: 'Suspended', tone: 'neutral' },
  paused: { title: 'Paused', tone: 'neutral' },
} as const

export type Badge = keyof typeof badges
