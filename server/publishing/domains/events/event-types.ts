// The types of domain events: in the log of the project, the live stream, webhooks and e-mails.

export const domainEventTypes = {
  added: 'The domain was added to the project.',
  configured: 'What visitors get at the domain was changed: its role, or where it redirects.',
  removed: 'The domain was removed. It is no longer served.',
  dns_changed: 'A check found that DNS points elsewhere than before.',
  verified: 'Ownership of the domain is proven.',
  certificate_ordered: 'A certificate was ordered.',
  active: 'The domain is served over HTTPS, and nothing stands in the way.',
  renewed: 'The certificate was renewed.',
  at_risk: 'The domain is still served, but will go offline soon unless the problem is fixed.',
  failed: 'An attempt to issue a certificate failed, or the certificate request is blocked.',
  suspended: 'The plan no longer includes domains. The name stays reserved.',
  paused:
    'The domain was not verified in 30 days: it is not checked until a user requests verification.',
  lost: 'The domain is no longer served: it has pointed elsewhere for 7 days, or another account has proven ownership.',
} as const

export type DomainEventType = keyof typeof domainEventTypes
