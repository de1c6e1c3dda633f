// The wire shapes of Domain Connect: whether a click can set the records of a domain, and how it returned.
import { type Static, Type } from 'typebox'
import { nullable, text, words } from '#kit/schema/described-schema.ts'
import { noProviderReasons } from '../discovery/discover-provider.ts'

const moment = Type.String({ format: 'date-time' })

/** Why the records of a domain cannot be set with one click. */
const unavailableReasons = [
  'not_configured',
  'no_key',
  'apex',
  'not_needed',
  'held_by_other',
  'suspended',
  ...noProviderReasons,
  'template_unknown',
  'template_old',
  'template_unreachable',
] as const
export type UnavailableReason = (typeof unavailableReasons)[number]

const ConnectRecord = Type.Object({
  name: Type.String({ description: 'The full name.' }),
  type: Type.String({ examples: ['CNAME'] }),
  value: Type.String(),
})
export type ConnectRecord = Static<typeof ConnectRecord>

const Provider = Type.Object({
  name: Type.String({ description: 'As the provider calls itself.' }),
  site: nullable(
    Type.String({ description: 'Host of the page that asks for consent.' }),
    'Null where there is no such page.',
  ),
  controlPanel: nullable(
    Type.String({ description: 'Page for editing the zone by hand.' }),
    'Null if the provider names none.',
  ),
})

export const DomainConnect = Type.Object(
  {
    status: words(
      ['offered', 'unavailable'],
      '`offered`: one click at the DNS provider can set the records.',
    ),
    reason: nullable(words(unavailableReasons), 'Why it is not offered.'),
    message: nullable(
      Type.String(),
      'The reason in words. Null if it is offered, or the provider does not take part.',
    ),
    provider: nullable(Provider, 'The DNS provider, where it takes part.'),
    adds: Type.Array(ConnectRecord, { description: 'The records that it adds.' }),
    deletes: Type.Array(ConnectRecord, {
      description: 'The records that conflict with them: the provider deletes them.',
    }),
    lastReturn: nullable(
      Type.Object({
        outcome: words(
          ['done', 'cancelled', 'failed'],
          'As the provider reported it. The state of the domain comes from DNS alone.',
        ),
        provider: Type.String(),
        isSet: Type.Boolean({ description: 'Whether DNS has the records by now.' }),
        message: Type.String({ description: 'What it means, together with what DNS shows now.' }),
        at: moment,
      }),
      'How the last attempt within a day returned.',
    ),
    open: nullable(
      Type.Object({
        provider: Type.String(),
        isLate: Type.Boolean({ description: 'Whether two minutes have passed.' }),
        message: Type.String({ description: 'What to do.' }),
        startedAt: moment,
      }),
      'What was started within an hour and has not returned, while DNS does not have the records.',
    ),
  },
  { $id: 'DomainConnect', description: 'Whether one click can set the DNS records of a domain.' },
)
export type DomainConnect = Static<typeof DomainConnect>

export const StartedConnection = Type.Object(
  {
    url: Type.String({ description: 'The page of the DNS provider that asks for consent.' }),
    expiresAt: { ...moment, description: 'Until then the provider can return the browser.' },
    provider: Type.String(),
    adds: Type.Array(ConnectRecord),
    deletes: Type.Array(ConnectRecord),
  },
  { $id: 'StartedConnection', description: 'A request to a DNS provider, ready to be opened.' },
)

export const ConnectReturn = Type.Object(
  {
    state: text(64, 'From the address to which the provider returned.', 1),
    error: Type.Optional(text(100, 'As the provider gave it.')),
    errorDescription: Type.Optional(text(1000, 'As the provider gave it. It is not shown.')),
  },
  { $id: 'ConnectReturn', description: 'How a DNS provider returned the browser.' },
)
export type ConnectReturn = Static<typeof ConnectReturn>

export const FinishedConnection = Type.Object(
  {
    project: Type.String({ description: 'The slug of the project.' }),
    host: Type.String(),
    outcome: words(['done', 'cancelled', 'failed']),
  },
  { $id: 'FinishedConnection', description: 'The domain that a connection was for.' },
)
