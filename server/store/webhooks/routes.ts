// The operations of an operator on webhooks: validate, look where they go, call, reply.
import { originOf } from '#kit/audit/record-audit.ts'
import { type Clock, timeOrNull } from '#kit/clock.ts'
import type { Database } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { type Route, route } from '#kit/management/route.ts'
import type { Destinations } from '#kit/network/http-client.ts'
import type { Secrets } from '#kit/secrets.ts'
import { checkUrl } from '#kit/webhooks/check-url.ts'
import { type ByEnvironment, getEnvironmentName } from '../database/environment-name.ts'
import { type Delivery as LoggedDelivery, listDeliveries, resend } from './delivery-log.ts'
import { operations } from './operations.ts'
import type { Delivery, Webhook } from './schema.ts'
import { testWebhook } from './test-webhook.ts'
import {
  type Audited,
  changeWebhook,
  createWebhook,
  disableWebhook,
  enableWebhook,
  findWebhook,
  type Keeper,
  listWebhooks,
  removeWebhook,
  rotateWebhook,
  type Webhook as StoredWebhook,
} from './webhooks.ts'

const hint = ' (see WEBHOOK_ALLOW)'
const daySeconds = 24 * 3600

interface WebhooksContext {
  databases: ByEnvironment<Database>
  secrets: Secrets
  /** Where webhooks may go. */
  destinations: Destinations
  clock: Clock
}

export function webhookRoutes(context: WebhooksContext): Route[] {
  const { clock, databases, destinations, secrets } = context

  function keeperOf(params: { environment: string }): Keeper {
    const environment = getEnvironmentName(params)
    return { database: databases[environment], environment, secrets }
  }

  function auditOf(
    call: Parameters<typeof originOf>[0] & { params: { environment: string } },
  ): Audited {
    return { origin: originOf(call, clock()), environment: getEnvironmentName(call.params) }
  }

  return [
    route(operations.listWebhooks, async ({ params }) => ({
      items: (await listWebhooks(keeperOf(params).database)).map(showWebhook),
    })),
    route(operations.createWebhook, async (call) => {
      const { body, params } = call
      const keeper = keeperOf(params)
      const { events, label, url } = body
      await checkUrl(url, destinations, hint)
      const made = await createWebhook(
        keeper,
        { url, events: events ?? undefined, label },
        originOf(call, clock()),
      )
      const message = 'The limit of 100 webhooks is reached. Remove one first.'
      if (!made) throw new AppError('limit_reached', message)
      return { ...showWebhook(made.webhook), secret: made.secret }
    }),
    route(operations.changeWebhook, async (call) => {
      const { body, params } = call
      const audited = auditOf(call)
      const { database } = keeperOf(params)
      const { disabled, events, label, url } = body
      const id = params.webhookId
      const before = await findWebhook(database.read, id)
      if (!before) throw webhookNotFound()
      if (url !== undefined && url !== before.url) await checkUrl(url, destinations, hint)
      let webhook: StoredWebhook | undefined = before
      if (label !== undefined || url !== undefined || events !== undefined)
        webhook = await changeWebhook(database, id, { label, url, events }, audited)
      if (disabled === true) webhook = await disableWebhook(database, id, audited)
      if (disabled === false) webhook = await enableWebhook(database, id, audited)
      if (!webhook) throw webhookNotFound()
      return showWebhook(webhook)
    }),
    route(operations.deleteWebhook, async (call) => {
      const { params } = call
      const { database } = keeperOf(params)
      if (!(await removeWebhook(database, params.webhookId, auditOf(call)))) throw webhookNotFound()
      return undefined
    }),
    route(operations.rotateWebhookSecret, async (call) => {
      const { body, params } = call
      const { overlapSeconds = daySeconds } = body
      const overlapMs = overlapSeconds * 1000
      const made = await rotateWebhook(
        keeperOf(params),
        params.webhookId,
        overlapMs,
        originOf(call, clock()),
      )
      if (!made) throw webhookNotFound()
      return { ...showWebhook(made.webhook), secret: made.secret }
    }),
    route(operations.testWebhook, async ({ params }) => {
      const sent = await testWebhook(keeperOf(params), params.webhookId, destinations, clock())
      if (!sent) throw webhookNotFound()
      const { durationMs, error = null, status = null } = sent
      return { durationMs, status, error }
    }),
    route(operations.listDeliveries, async ({ params, query }) => {
      const { database } = keeperOf(params)
      const { before, failed, limit } = query
      if (!(await findWebhook(database.read, params.webhookId))) throw webhookNotFound()
      const found = await listDeliveries(database, params.webhookId, {
        failed: failed === 'true',
        limit: limit + 1,
        before,
      })
      const items = found.slice(0, limit)
      const next = found.length > limit ? (items.at(-1)?.messageId ?? null) : null
      return { items: items.map(showDelivery), next }
    }),
    route(operations.redeliver, async ({ params }) => {
      const { database } = keeperOf(params)
      const { eventId, webhookId } = params
      if (!(await findWebhook(database.read, webhookId))) throw webhookNotFound()
      if (await resend(database, eventId, webhookId, clock())) return undefined
      const message =
        'Nothing to resend: the event is unknown or being sent, or the webhook is disabled.'
      throw new AppError('delivery_not_found', message)
    }),
  ]
}

function webhookNotFound(): AppError {
  return new AppError('webhook_not_found', 'Webhook not found.')
}

function showWebhook(webhook: StoredWebhook): Webhook {
  const { disabledAt, failingSince } = webhook
  const alive = failingSince === undefined ? 'active' : 'failing'
  return {
    id: webhook.id,
    label: webhook.label,
    url: webhook.url,
    events: webhook.events ?? null,
    state: disabledAt === undefined ? alive : 'disabled',
    disabledReason: webhook.disabledReason ?? null,
    createdAt: new Date(webhook.createdAt).toISOString(),
    failingSince: timeOrNull(failingSince),
    disabledAt: timeOrNull(disabledAt),
  }
}

function showDelivery(delivery: LoggedDelivery): Delivery {
  const { attempts, createdAt, id, messageId, state, type } = delivery
  return {
    id,
    eventId: messageId,
    type,
    state,
    createdAt: new Date(createdAt).toISOString(),
    attempts: attempts.map(({ at, attempt, durationMs, error, nextAt, status }) => ({
      attempt,
      at: new Date(at).toISOString(),
      durationMs,
      status: status ?? null,
      error: error ?? null,
      nextAt: timeOrNull(nextAt),
    })),
  }
}
