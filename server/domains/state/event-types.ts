// The types of domain events: in the log of the project, the live stream, webhooks and e-mails.
import { type Static, Type } from 'typebox'
import { words } from '#kit/schema/described-schema.ts'

export const domainEventTypes = {
  added: 'The domain was added to the project.',
  configured: 'What visitors get at the domain was changed: its role, or where it redirects.',
  removed: 'The domain was removed. It is no longer served.',
  dns_changed: 'A check found that DNS points elsewhere than before.',
  verified: 'Ownership of the domain is proven.',
  preparation_requested: 'A certificate before the switch of DNS was requested.',
  preparation_canceled: 'The certificate before the switch is no longer requested.',
  preparation_ended:
    'The certificate before the switch was renewed twice, and DNS still points elsewhere: it is not requested any more.',
  certificate_ordered: 'A certificate was ordered.',
  challenge_requested:
    'The owner has to set a TXT record, by which the certificate authority validates the domain.',
  certificate_prepared: 'The certificate is issued, and DNS can be switched.',
  connect_started: 'A user went to the DNS provider to have it set the records.',
  connect_returned:
    'The DNS provider sent the user back. What it reports decides nothing: DNS does.',
  switched: 'DNS points to us, after a certificate was requested for that.',
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

const perhaps = (description: string) => Type.Optional(Type.String({ description }))

/** All of it may be shown to the owner. Times are in RFC 3339; `late`: no result after 30 minutes. */
export const EventDetail = Type.Object(
  {
    from: perhaps('The DNS result before.'),
    to: perhaps('The DNS result now.'),
    provenBy: perhaps('pointer or txt.'),
    code: perhaps(
      'Why there is no certificate: the code of a diagnostic such as C01, budget, https_off, the type of the problem at the authority, expired, or late.',
    ),
    reason: perhaps('The same in a few words, without a full stop.'),
    problem: perhaps("The authority's own words."),
    because: Type.Optional(
      words(
        ['dns', 'lookup', 'certificate', 'claimed', 'expired', 'refused', 'renewal', 'canceled'],
        'What puts the domain at risk, or why it is lost; lookup: its name servers or DNSSEC. For challenge_requested: why the value before it is no longer valid.',
      ),
    ),
    recordName: perhaps('The full name of the TXT record to set.'),
    recordValue: perhaps('Its value.'),
    until: perhaps(
      'When the next attempt starts, when serving ends, or until when a record has to be set.',
    ),
    records: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ description: 'The full name.' }),
          type: Type.String(),
          value: Type.String(),
        }),
        { description: 'The DNS records to delete, of removed.' },
      ),
    ),
    expiresAt: perhaps('When the certificate in use expires.'),
    provider: perhaps('The DNS provider, of connect_started and connect_returned.'),
    outcome: perhaps('done, cancelled or failed, as the DNS provider reported it.'),
    role: perhaps('primary, alias or redirect.'),
    redirectTo: perhaps('Where it redirects.'),
    redirectStatus: Type.Optional(Type.Integer({ description: 'By which status.' })),
  },
  { description: 'The details of the event.' },
)
export type EventDetail = Static<typeof EventDetail>
