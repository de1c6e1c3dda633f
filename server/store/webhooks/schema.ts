// The wire shapes of webhooks and their deliveries. A secret is in none but that of its making.
import { type Static, Type } from 'typebox'
import { eventTypes } from './event-types.ts'

const time = (description: string) =>
  Type.String({ format: 'date-time', readOnly: true, description })
const timeOrNull = (description: string) =>
  Type.Union([time(description), Type.Null()], { description })

const EventType = Type.Enum([...eventTypes], { $id: 'EventType', type: 'string' })
const events = Type.Union(
  [Type.Array(EventType, { minItems: 1, uniqueItems: true }), Type.Null()],
  {
    description: 'What it hears of. Null is all, what later versions add included.',
  },
)
const label = Type.String({
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$',
  'x-pattern-message': 'must contain no control characters',
  description: 'What you will know it by.',
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
    description: '`failing` is active, and nothing was delivered since the last failure.',
  }),
  disabledReason: Type.Union(
    [Type.Enum(['by hand', 'gone', 'failing'], { type: 'string' }), Type.Null()],
    { description: '`gone`: its receiver answered 410. `failing`: for too long.' },
  ),
  createdAt: time('When it was made.'),
  failingSince: timeOrNull('Its first failure since anything was delivered.'),
  disabledAt: timeOrNull('When it was disabled.'),
}

export const Webhook = Type.Object(fields, { $id: 'Webhook' })
export type Webhook = Static<typeof Webhook>

export const IssuedWebhook = Type.Object(
  {
    ...fields,
    secret: Type.String({ description: 'What its messages are signed with. Not shown again.' }),
  },
  { $id: 'IssuedWebhook' },
)

export const Webhooks = Type.Object(
  { items: Type.Array(Webhook, { maxItems: 100 }) },
  { $id: 'Webhooks', description: 'The oldest first.' },
)

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
      Type.Boolean({ description: 'True pauses it; false lets it go on with what is open.' }),
    ),
  },
  { $id: 'WebhookPatch', description: 'What is to change of a webhook.' },
)
export type WebhookPatch = Static<typeof WebhookPatch>

export const WebhookTest = Type.Object(
  {
    durationMs: Type.Integer({ minimum: 0 }),
    status: Type.Union([Type.Integer(), Type.Null()], { description: 'What it answered.' }),
    error: Type.Union([Type.String(), Type.Null()], { description: 'Null for a 2xx.' }),
  },
  { $id: 'WebhookTest', description: 'What came of a test message.' },
)

const Attempt = Type.Object(
  {
    attempt: Type.Integer({ minimum: 1, description: 'From 1.' }),
    at: time('When it began.'),
    durationMs: Type.Integer({ minimum: 0 }),
    status: Type.Union([Type.Integer(), Type.Null()], { description: 'What it was answered.' }),
    error: Type.Union([Type.String(), Type.Null()], { description: 'Null for a 2xx.' }),
    nextAt: timeOrNull('When it is tried again.'),
  },
  { $id: 'DeliveryAttempt' },
)

export const Delivery = Type.Object(
  {
    id: Type.String({ description: 'Of this event to this webhook.' }),
    eventId: Type.String(),
    type: Type.String({ description: 'What happened.' }),
    state: Type.Enum(['held', 'waiting', 'delivered', 'failed'], {
      type: 'string',
      description: '`held` waits for an earlier event of its animal.',
    }),
    createdAt: time('When it happened.'),
    attempts: Type.Array(Attempt),
  },
  { $id: 'Delivery' },
)
export type Delivery = Static<typeof Delivery>

export const Deliveries = Type.Object(
  {
    items: Type.Array(Delivery, { maxItems: 100 }),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'What `before` takes for the next page; null when there is none.',
    }),
  },
  { $id: 'Deliveries', description: 'The newest first.' },
)

export const ListDeliveriesQuery = Type.Object({
  limit: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 20,
    description: 'Maximum number of deliveries returned.',
  }),
  failed: Type.Enum(['true', 'false'], {
    type: 'string',
    default: 'false',
    description: '`true` leaves out those that never failed.',
  }),
  before: Type.Optional(
    Type.String({ maxLength: 100, description: 'Event of the last delivery of the page before.' }),
  ),
})
export interface ListDeliveriesQuery {
  limit: number
  failed: 'true' | 'false'
  before?: string
}
