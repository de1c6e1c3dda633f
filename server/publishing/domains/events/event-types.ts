// All that is ever told of a domain: in the log of its project, on the live stream, by webhook and e-mail.

export const domainEventTypes = {
  added: 'The domain was added to the project.',
  configured: 'What visitors get at the domain was changed: its role, or where it redirects.',
  removed: 'The domain was removed. It is not served any more.',
  dns_changed: 'A check found that DNS points elsewhere than before.',
  verified: 'It is proven that the domain belongs to the owner of the project.',
  certificate_ordered: 'A certificate was ordered.',
  active: 'The domain is served over HTTPS, and nothing stands in the way.',
  renewed: 'A new certificate took the place of the one before.',
  at_risk: 'The domain is still served, and will not be for long unless something is mended.',
  failed: 'An attempt brought no certificate, or something kept the authority from being asked.',
  suspended: 'The plan does not include domains any more. The name stays held.',
  paused: 'Nobody has verified the domain in 30 days: it is not looked at until somebody does.',
  lost: 'The domain is not served any more: it has led elsewhere for 7 days, or another account has proven that it is theirs.',
} as const

export type DomainEventType = keyof typeof domainEventTypes
