// The API schemas of domain events.
import { type Static, Type } from 'typebox'
import { nullable, pageLimit, pageOf, text, words } from '#kit/schema/described-schema.ts'
import { moment } from '../checks/check-schema.ts'
import { type DomainEventType, domainEventTypes, EventDetail } from '../state/event-types.ts'
import { Domain } from './schema.ts'

const typeNames = Object.keys(domainEventTypes) as DomainEventType[]

export const DomainEvent = Type.Object(
  {
    id: Type.String(),
    at: moment,
    type: words(typeNames, typeNames.map((name) => `${name}: ${domainEventTypes[name]}`).join(' ')),
    host: Type.String(),
    actor: nullable(
      Type.Object({
        id: Type.String(),
        name: nullable(Type.String(), 'Null when the account was deleted.'),
      }),
      'The account that caused it; null for the server itself.',
    ),
    detail: EventDetail,
  },
  { $id: 'DomainEvent', description: 'A domain event.' },
)
export type DomainEvent = Static<typeof DomainEvent>

export const DomainEvents = pageOf(
  DomainEvent,
  'DomainEvents',
  'Domain events, newest first.',
  'The `before` of the next page; null at the end.',
)

export const ListEventsQuery = Type.Object({
  limit: pageLimit(20),
  before: Type.Optional(text(40, 'Only events before the one with this id.')),
})

export const FollowEventsQuery = Type.Object({
  after: Type.Optional(text(40, 'Starts after the event with this id.')),
})

export const StreamedEvent = Type.Object(
  {
    event: DomainEvent,
    domain: nullable(Domain, 'Its current state; null when it was removed.'),
  },
  { $id: 'StreamedDomainEvent', description: 'An event with the domain that it is about.' },
)
export type StreamedEvent = Static<typeof StreamedEvent>

const webhookFields = {
  url: Type.String({ description: 'The endpoint.' }),
  createdAt: moment,
  attemptedAt: nullable(moment, 'Of the last attempt.'),
  status: nullable(Type.Integer(), 'The response status of the last attempt.'),
  error: nullable(Type.String(), 'The error of the last attempt.'),
  failingSince: nullable(moment, 'Null while deliveries succeed.'),
}

export const DomainWebhook = Type.Object(webhookFields, {
  $id: 'DomainWebhook',
  description: 'The webhook for the domain events of a project.',
})
export type DomainWebhook = Static<typeof DomainWebhook>

export const NewDomainWebhook = Type.Object(
  {
    url: text(2048, 'An https address, at a public address.', 1),
  },
  { $id: 'NewDomainWebhook', description: 'The webhook to set.' },
)

export const MadeDomainWebhook = Type.Object(
  {
    ...webhookFields,
    secret: Type.String({ description: 'Signs the messages. It is shown only once.' }),
  },
  { $id: 'MadeDomainWebhook', description: 'A webhook that was set, with its secret.' },
)

export const DomainWebhookTest = Type.Object(
  {
    status: nullable(Type.Integer(), 'The response status.'),
    error: nullable(Type.String(), 'Null when it was delivered.'),
    durationMs: Type.Integer(),
  },
  { $id: 'DomainWebhookTest', description: 'The result of a test.' },
)
