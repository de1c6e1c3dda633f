// Webhooks of the store, as the rest of the program uses them: the operations of an operator, and in one process the
// dispatcher of each environment and the deletion of old deliveries. A secret is in no response but the one to its creation.
// The store writes events with their deliveries (store/changes/record-events.ts); this sends them.
import { type Static, Type } from 'typebox'
import { type Clock, timeOrNull } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { EncryptedColumn } from '#kit/database/re-encrypt.ts'
import { AppError } from '#kit/errors.ts'
import type { Logger } from '#kit/log.ts'
import { bindRoutes } from '#kit/management/route.ts'
import type { Metrics } from '#kit/metrics.ts'
import { judgeAddresses } from '#kit/network/addresses.ts'
import { type Destinations, type Resolve, resolveBy } from '#kit/network/http-client.ts'
import {
  booleanText,
  dateTime,
  listOf,
  momentOrNull,
  nullable,
  pageLimit,
  pageOf,
  plainText,
  text,
  toPage,
  toWire,
  words,
} from '#kit/schema/described-schema.ts'
import { openSecrets, type Secrets } from '#kit/secrets.ts'
import { checkUrl } from '#kit/webhooks/send-message.ts'
import { eventTypes } from '#store/changes/record-events.ts'
import { type EnvironmentName, environmentNames } from '#store/database/environment-name.ts'
import {
  type EnvironmentsContext,
  environmentRoutesOf,
} from '#store/database/environment-routes.ts'
import { rotationOverlap } from '#store/keys/keys.ts'
import { Overlap } from '#store/keys/routes.ts'
import type { Store } from '#store/store.ts'
import { readQueue } from './deliveries.ts'
import { type Delivery as LoggedDelivery, listDeliveries, resend } from './delivery-log.ts'
import { startDispatcher } from './dispatcher.ts'
import { deleteOldDeliveries } from './forget-deliveries.ts'
import {
  changeWebhook,
  createWebhook,
  findWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhook,
  type Webhook as StoredWebhook,
  secretContext,
  testWebhook,
} from './webhooks.ts'

const hint = ' (see WEBHOOK_ALLOW)'

interface WebhooksContext extends EnvironmentsContext {
  secrets: Secrets
  /** Where webhooks may go. */
  destinations: Destinations
}

const EventType = Type.Enum([...eventTypes], { $id: 'EventType', type: 'string' })
const events = Type.Union(
  [Type.Array(EventType, { minItems: 1, uniqueItems: true }), Type.Null()],
  {
    description: 'The events that it gets. Null means all, including those of later versions.',
  },
)
const label = plainText(100, 'A label for your own reference.', 0)
const url = text(
  2048,
  'Where events go: https, at a public address unless WEBHOOK_ALLOW says otherwise.',
)

const fields = {
  id: Type.String(),
  label,
  url,
  events,
  state: words(
    ['active', 'failing', 'disabled'],
    '`failing`: active, but nothing was delivered since the last failure.',
  ),
  disabledReason: Type.Union([words(['by hand', 'gone', 'failing']), Type.Null()], {
    description: '`gone`: its receiver answered 410. `failing`: for too long.',
  }),
  createdAt: dateTime('Creation time.'),
  failingSince: momentOrNull('First failure since the last successful delivery.'),
  disabledAt: momentOrNull('Time at which it was disabled.'),
}

const Webhook = Type.Object(fields, { $id: 'Webhook' })
export type Webhook = Static<typeof Webhook>

const IssuedWebhook = Type.Object(
  {
    ...fields,
    secret: Type.String({ description: 'The signing secret, shown only once.' }),
  },
  { $id: 'IssuedWebhook' },
)

const Webhooks = listOf(Webhook, 'Webhooks', 'The oldest first.')

const NewWebhook = Type.Object(
  { url, label: Type.Optional(label), events: Type.Optional(events) },
  { $id: 'NewWebhook' },
)

const WebhookPatch = Type.Object(
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

const WebhookTest = Type.Object(
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
    nextAt: momentOrNull('Time of the next attempt.'),
  },
  { $id: 'DeliveryAttempt' },
)

const Delivery = Type.Object(
  {
    id: Type.String({ description: 'The delivery of this event to this webhook.' }),
    eventId: Type.String(),
    type: Type.String({ description: 'The event type.' }),
    state: words(
      ['held', 'waiting', 'delivered', 'failed'],
      '`held`: waiting for an earlier event of the same animal.',
    ),
    createdAt: dateTime('Time of the event.'),
    attempts: Type.Array(Attempt),
  },
  { $id: 'Delivery' },
)
export type Delivery = Static<typeof Delivery>

const Deliveries = pageOf(
  Delivery,
  'Deliveries',
  'The newest first.',
  'What `before` takes for the next page; null when there is none.',
)

const ListDeliveriesQuery = Type.Object({
  limit: pageLimit(20),
  failed: booleanText('`true` leaves out those that never failed.'),
  before: Type.Optional(text(100, 'Event of the last delivery of the page before.')),
})

const route = environmentRoutesOf<WebhooksContext>('webhooks')

export const webhookRoutes = [
  route('GET /store/{environment}/webhooks', 'listWebhooks', {
    summary: 'List webhooks',
    scope: 'store:read',
    returns: Webhooks,
    handle: async ({ database }) => ({ items: (await listWebhooks(database)).map(showWebhook) }),
  }),
  route('POST /store/{environment}/webhooks', 'createWebhook', {
    summary: 'Create a webhook',
    description: 'The signing secret is shown only once.',
    scope: 'store:write',
    body: NewWebhook,
    status: 201,
    returns: IssuedWebhook,
    errors: ['limit_reached'],
    async handle({ body, database, environment, origin }, { destinations, secrets }) {
      await checkUrl(body.url, destinations, hint)
      const newWebhook = { ...body, events: body.events ?? undefined }
      const keeper = { database, environment, secrets }
      const created = await createWebhook(keeper, newWebhook, origin)
      const message = 'The limit of 100 webhooks is reached. Remove one first.'
      if (!created) throw new AppError('limit_reached', message)
      return { ...showWebhook(created.webhook), secret: created.secret }
    },
  }),
  route('PATCH /store/{environment}/webhooks/{webhookId}', 'changeWebhook', {
    summary: 'Change, pause or resume a webhook',
    description: 'A disabled webhook gets no new events; open deliveries are kept.',
    scope: 'store:write',
    body: WebhookPatch,
    returns: Webhook,
    errors: ['webhook_not_found'],
    async handle({ body, database, environment, origin, params }, { destinations }) {
      const { url } = body
      const id = params.webhookId
      const before = found(await findWebhook(database.read, id))
      if (url !== undefined && url !== before.url) await checkUrl(url, destinations, hint)
      if (Object.keys(body).length === 0) return showWebhook(before)
      return showWebhook(found(await changeWebhook(database, id, body, { environment, origin })))
    },
  }),
  route('DELETE /store/{environment}/webhooks/{webhookId}', 'deleteWebhook', {
    summary: 'Remove a webhook and its open deliveries',
    scope: 'store:write',
    errors: ['webhook_not_found'],
    async handle({ database, environment, origin, params }) {
      found(await removeWebhook(database, params.webhookId, { environment, origin }))
    },
  }),
  route('POST /store/{environment}/webhooks/{webhookId}/rotate', 'rotateWebhookSecret', {
    summary: 'Rotate the signing secret of a webhook; the old one stays valid for a while',
    scope: 'store:write',
    body: Overlap,
    status: 201,
    returns: IssuedWebhook,
    errors: ['webhook_not_found'],
    async handle({ body, database, environment, origin, params }, { secrets }) {
      const { overlapSeconds = rotationOverlap.usualSeconds } = body
      const overlapMs = overlapSeconds * 1000
      const keeper = { database, environment, secrets }
      const rotated = found(await rotateWebhook(keeper, params.webhookId, overlapMs, origin))
      return { ...showWebhook(rotated.webhook), secret: rotated.secret }
    },
  }),
  route('POST /store/{environment}/webhooks/{webhookId}/test', 'testWebhook', {
    summary: 'Send a webhook.test event and show the response',
    description: 'Also to a disabled webhook; not part of its deliveries.',
    scope: 'store:write',
    returns: WebhookTest,
    errors: ['webhook_not_found'],
    async handle({ database, environment, origin, params }, { destinations, secrets }) {
      const keeper = { database, environment, secrets }
      const sent = await testWebhook(keeper, params.webhookId, destinations, origin.at)
      const { durationMs, error = null, status = null } = found(sent)
      return { durationMs, status, error }
    },
  }),
  route('GET /store/{environment}/webhooks/{webhookId}/deliveries', 'listDeliveries', {
    summary: 'List the deliveries of a webhook with their attempts, newest first',
    description: 'The last 10,000 of the past 7 days.',
    scope: 'store:read',
    query: ListDeliveriesQuery,
    returns: Deliveries,
    errors: ['webhook_not_found'],
    async handle({ database, params, query }) {
      const { before, failed, limit } = query
      found(await findWebhook(database.read, params.webhookId))
      const listed = { failed: failed === 'true', limit: limit + 1, before }
      const all = await listDeliveries(database, params.webhookId, listed)
      return toPage(all, limit, 'messageId', showDelivery)
    },
  }),
  route(
    'POST /store/{environment}/webhooks/{webhookId}/deliveries/{eventId}/redeliver',
    'redeliver',
    {
      summary: 'Resend an event to a webhook',
      description: 'A delivery that is waiting for its next attempt is retried now.',
      scope: 'store:write',
      errors: ['webhook_not_found', 'delivery_not_found'],
      async handle({ database, origin, params: { eventId, webhookId } }) {
        found(await findWebhook(database.read, webhookId))
        if (await resend(database, eventId, webhookId, origin.at)) return
        const message =
          'Nothing to resend: the event is unknown or being sent, or the webhook is disabled.'
        throw new AppError('delivery_not_found', message)
      },
    },
  ),
] as const

/** What an environment of the store keeps encrypted. */
export function encryptedColumnsOf(environment: EnvironmentName): EncryptedColumn[] {
  return ['secret', 'previous_secret'].map((column) => ({
    table: 'webhooks',
    column,
    key: 'id',
    contextOf: (id) => secretContext(environment, id),
  }))
}

/** How requests to others go out; as usual without it. */
export interface Outgoing {
  resolve?: Resolve
  answerWithinMs?: number
}

export function openWebhooks(
  config: Config,
  { databases, mayClaim }: Pick<Store, 'databases' | 'mayClaim'>,
  clock: Clock,
  metrics: Metrics,
  log: Logger,
  { answerWithinMs, resolve = resolveBy(config.dnsServers) }: Outgoing = {},
) {
  const secrets = openSecrets(config)
  const destinations = { judge: judgeAddresses(config.webhookAllow), resolve }
  const queues = {
    production: () => readQueue(databases.production, clock()),
    staging: () => readQueue(databases.staging, clock()),
  }
  const dispatcher = (environment: EnvironmentName) => {
    metrics.watchWebhookQueue(environment, queues[environment])
    return startDispatcher({
      ...{ database: databases[environment], environment, secrets, destinations },
      ...{ clock, mayClaim, metrics, log, answerWithinMs },
    })
  }
  const dispatchers = { production: dispatcher('production'), staging: dispatcher('staging') }
  let sends = true
  return {
    /** Part of the management API. */
    routes: bindRoutes(webhookRoutes, { databases, clock, secrets, destinations }),
    dispatchers,
    /** How much waits to be delivered. */
    queues,
    async maintain() {
      for (const name of environmentNames) {
        if (!sends) return
        dispatchers[name].wake()
        await deleteOldDeliveries(databases[name], clock())
      }
    },
    /** Sends no more; resolves when what is on its way has come back. */
    async stop() {
      sends = false
      await Promise.all(environmentNames.map((name) => dispatchers[name].stop()))
    },
  }
}

/** Throws `webhook_not_found` for what is not there. */
function found<T>(value: T): NonNullable<T> {
  if (!value) throw new AppError('webhook_not_found', 'Webhook not found.')
  return value
}

function showWebhook(webhook: StoredWebhook): Webhook {
  const { disabledAt, failingSince } = webhook
  const alive = failingSince === undefined ? 'active' : 'failing'
  const state = disabledAt === undefined ? alive : 'disabled'
  return toWire(Webhook, { ...webhook, state, failingSince: timeOrNull(failingSince) })
}

function showDelivery({ attempts, messageId, ...delivery }: LoggedDelivery): Delivery {
  const shown = attempts.map((attempt) =>
    toWire(Attempt, { ...attempt, at: new Date(attempt.at).toISOString() }),
  )
  return toWire(Delivery, { ...delivery, eventId: messageId, attempts: shown })
}
