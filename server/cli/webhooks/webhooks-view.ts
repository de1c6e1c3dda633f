// Webhooks and deliveries as the command line shows them. A secret is in none of it.
import type { Delivery } from '../../store/webhooks/delivery-log.ts'
import type { Webhook } from '../../store/webhooks/webhooks.ts'
import { columns } from '../command-line/help.ts'

export function webhooksTable(webhooks: Webhook[]): string {
  const rows = webhooks.map((webhook) => [
    webhook.id,
    stateOf(webhook),
    webhook.url,
    webhook.events?.join(',') ?? 'all',
    webhook.label,
  ])
  return columns([['ID', 'STATE', 'URL', 'EVENTS', 'LABEL'], ...rows]).trimEnd()
}

/** A line for each attempt, and for what has had none yet. */
export function deliveriesTable(deliveries: Delivery[]): string {
  const rows = deliveries.flatMap(({ attempts, createdAt, messageId, state, type }) => {
    if (attempts.length === 0) {
      return [[messageId, type, state, '0', moment(createdAt), '-', '-', '-']]
    }
    return attempts.map(({ at, attempt, durationMs, error, nextAt, status }) => [
      messageId,
      type,
      state,
      String(attempt),
      moment(at),
      error ?? String(status),
      `${durationMs} ms`,
      moment(nextAt),
    ])
  })
  const head = ['EVENT', 'TYPE', 'STATE', 'ATTEMPT', 'AT', 'ANSWER', 'TOOK', 'NEXT']
  return columns([head, ...rows]).trimEnd()
}

export function plainWebhook(webhook: Webhook): object {
  return {
    id: webhook.id,
    label: webhook.label,
    url: webhook.url,
    events: webhook.events ?? null,
    state: stateOf(webhook),
    createdAt: time(webhook.createdAt),
    failingSince: time(webhook.failingSince),
    disabledAt: time(webhook.disabledAt),
  }
}

export function plainDelivery(delivery: Delivery): object {
  return {
    id: delivery.id,
    eventId: delivery.messageId,
    type: delivery.type,
    state: delivery.state,
    createdAt: time(delivery.createdAt),
    attempts: delivery.attempts.map(({ at, error, nextAt, status, ...rest }) => ({
      ...rest,
      at: time(at),
      status: status ?? null,
      error: error ?? null,
      nextAt: time(nextAt),
    })),
  }
}

function stateOf({ disabledAt, disabledReason, failingSince }: Webhook): string {
  if (disabledAt !== undefined) return `disabled (${disabledReason})`
  return failingSince === undefined ? 'active' : 'failing'
}

function time(value: number | undefined): string | null {
  return value === undefined ? null : new Date(value).toISOString()
}

function moment(value: number | undefined): string {
  return value === undefined ? '-' : new Date(value).toISOString().slice(0, 19).replace('T', ' ')
}
