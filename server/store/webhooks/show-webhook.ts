// Webhooks and deliveries as the wire shows them: chosen field by field.

import { timeOrNull } from '../database/wire-time.ts'
import type { Delivery as LoggedDelivery } from './delivery-log.ts'
import type { Delivery, Webhook } from './schema.ts'
import type { Webhook as StoredWebhook } from './webhooks.ts'

export function showWebhook(webhook: StoredWebhook): Webhook {
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

export function showDelivery(delivery: LoggedDelivery): Delivery {
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
