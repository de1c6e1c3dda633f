// The wire shapes of webhooks and their deliveries. Only the response to a creation has the secret.
import { type Static, Type } from 'typebox'
import { booleanText, dateTime, listOf, nullable, pageOf } from '#kit/schema/described-schema.ts'
import { eventTypes } from './event-types.ts'

const timeOrNull = (description: string) => nullable(dateTime(description), description)

const EventType = Type.Enum([...eventTypes], { $id: 'EventType', type: 'string' })
const events = Type.Union(
  [Type.Array(EventType, { minItems: 1, uniqueItems: true }), Type.Null()],
  {
    description: 'The events that it gets. Null means all, including those of later versions.',
  },
)
const label = Type.String({
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  'x-pattern-message': 'must contain no control characters',
  description: 'A label for your own reference.',
})
const url = Type.String({
  maxLength: 2048,
  description: 'Where events go: https, at a public address unless WEBHOOK_ALLOW says otherwise.',
})

const fields = {
  id: Type.String(),
  label,
  url,
  events,
  state: Type.Enum(['active', 'failing', 'disabled'], {
    type: 'string',
    description: '`failing`: active, but nothing was delivered since the last failure.',
  }),
  disabledReason: Type.Union(
    [Type.Enum(['by hand', 'gone', 'failing'], { type: 'string' }), Type.Null()],
    { description: '`gone`: its receiver answered 410. `failing`: for too long.' },
  ),
  createdAt: dateTime('Creation time.'),
  failingSince: timeOrNull('First failure since the last successful delivery.'),
  disabledAt: timeOrNull('Time at which it was disabled.'),
}

export const Webhook = Type.Object(fields, { $id: 'Webhook' })
export type Webhook = Static<typeof Webhook>

export const IssuedWebhook = Type.Object(
  {
    ...fields,
    secret: Type.String({ description: 'The signing secret, shown only once.' }),
  },
  { $id: 'IssuedWebhook' },
)

export const Webhooks = listOf(Webhook, 'Webhooks', 'The oldest first.')

export const NewWebhook = Type.Object(
  { url, label: Type.Optional(label), events: Type.Optional(events) },
  { $id: 'NewWebhook' },
)
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookPatch = Type.Object(
  {
    url: Type.Optional(url),
    label: Type.Optional(label),
    events: Type.Optional(events),
    disabled: Type.Optional(
      Type.Boolean({ description: 'True pauses it; false resumes it with its open deliveries.' }),
    ),
  },
  { $id: 'WebhookPatch', description: 'Changes to a webhook.' },
)
export type WebhookPatch = Static<typeof WebhookPatch>

export const WebhookTest = Type.Object(
  {
    durationMs: Type.Integer({ minimum: 0 }),
    status: nullable(Type.Integer(), 'Status of the response.'),
    error: nullable(Type.String(), 'Null for a 2xx.'),
  },
  { $id: 'WebhookTest', description: 'The result of a test message.' },
)

const Attempt = Type.Object(
  {
    attempt: Type.Integer({ minimum: 1, description: 'From 1.' }),
    at: dateTime('Start time.'),
    durationMs: Type.Integer({ minimum: 0 }),
    status: nullable(Type.Integer(), 'Status of the response.'),
    error: nullable(Type.String(), 'Null for a 2xx.'),
    nextAt: timeOrNull('Time of the next attempt.'),
  },
  { $id: 'DeliveryAttempt' },
)

export const Delivery = Type.Object(
  {
    id: Type.String({ description: 'Of this event to this webhook.' }),
    eventId: Type.String(),
    type: Type.String({ description: 'The event type.' }),
    state: Type.Enum(['held', 'waiting', 'delivered', 'failed'], {
      type: 'string',
      description: '`held`: waiting for an earlier event of the same animal.',
    }),
    createdAt: dateTime('Time of the event.'),
    attempts: Type.Array(Attempt),
  },
  { $id: 'Delivery' },
)
export type Delivery = Static<typeof Delivery>

export const Deliveries = pageOf(
  Delivery,
  'Deliveries',
  'The newest first.',
  'What `before` takes for the next page; null when there is none.',
)

export const ListDeliveriesQuery = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 20,
    description: 'Maximum number of deliveries returned.',
  }),
  failed: booleanText('`true` leaves out those that never failed.'),
  before: Type.Optional(
    Type.String({ maxLength: 100, description: 'Event of the last delivery of the page before.' }),
  ),
})
