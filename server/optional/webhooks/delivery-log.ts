// The log of deliveries with their attempts, and resending an event.
import { type Database, findOne } from '#kit/database/database.ts'
import { plainRow } from '#kit/database/plain-row.ts'
import { lockedTransaction } from '#store/database/state.ts'
import { prepare, prepareQuery, type StoreTables } from '#store/database/tables.ts'

/** Times are milliseconds since the epoch. */
export type Delivery = Awaited<ReturnType<typeof listDeliveries>>[number]

interface DeliveryList {
  /** Leaves out those that never failed. */
  failed?: boolean
  limit?: number
  /** Only those of events before this one, by its id; of none when it is not known. */
  before?: string | undefined
}

/** The newest deliveries of a webhook, newest first. */
export async function listDeliveries(
  { read }: Database,
  webhookId: string,
  { before, failed = false, limit = 100 }: DeliveryList = {},
) {
  const message =
    before === undefined ? undefined : await findOne(read, eventOf, { message: before })
  const end = before === undefined ? beyondAll : (message?.id ?? 0n)
  const rows = await read.all(failed ? newestFailed : newest, {
    webhook: webhookId,
    limit,
    before: end,
  })
  if (rows.length === 0) return []
  const ids = rows.map(({ event_id }) => event_id)
  const [from, to] = [ids.at(-1) as bigint, ids[0] as bigint]
  const logged = await read.all(attempts, { webhook: webhookId, from, to })
  const byEvent = Map.groupBy(logged, ({ event_id }) => event_id)
  return rows.map((row) => ({
    /** Of this event to this webhook: `msg_…:wh_…`. */
    id: `${row.message_id}:${webhookId}`,
    messageId: row.message_id,
    type: row.type,
    state: stateOf(row),
    createdAt: Number(row.created_at),
    attempts: (byEvent.get(row.event_id) ?? []).map(({ event_id: _, ...each }) => plainRow(each)),
  }))
}

/** `held`: waiting for an earlier event of the same animal. */
function stateOf(
  row: Pick<StoreTables['webhook_deliveries'], 'due_at' | 'finished_at' | 'outcome'>,
): 'held' | 'waiting' | 'delivered' | 'failed' {
  if (row.finished_at !== null) return row.outcome === 'delivered' ? 'delivered' : 'failed'
  return row.due_at === null ? 'held' : 'waiting'
}

const shown = [
  'd.event_id',
  'd.due_at',
  'd.finished_at',
  'd.outcome',
  'e.message_id',
  'e.type',
  'e.created_at',
] as const

const beyondAll = BigInt(Number.MAX_SAFE_INTEGER)

const newestOf = (onlyFailed: boolean) =>
  prepareQuery<{ webhook: string; limit: number; before: bigint }>()((db, param) =>
    db
      .selectFrom('webhook_deliveries as d')
      .innerJoin('webhook_events as e', 'e.id', 'd.event_id')
      .select(shown)
      .where('d.webhook_id', '=', param('webhook'))
      .where('d.event_id', '<', param('before'))
      .$if(onlyFailed, (query) =>
        query.where(({ exists, selectFrom }) =>
          exists(
            selectFrom('webhook_attempts as a')
              .select('a.attempt')
              .whereRef('a.webhook_id', '=', 'd.webhook_id')
              .whereRef('a.event_id', '=', 'd.event_id')
              .where('a.error', 'is not', null),
          ),
        ),
      )
      .orderBy('d.event_id', 'desc')
      .limit(param('limit')),
  )
const newest = newestOf(false)
const newestFailed = newestOf(true)
const attempts = prepare.select(
  'webhook_attempts',
  ['event_id', 'attempt', 'at', 'duration_ms', 'status', 'error', 'next_at'],
  { webhook_id: 'webhook', event_id: { '>=': 'from', '<=': 'to' } },
  { orderBy: ['event_id', 'attempt'] },
)
const eventOf = prepare.select('webhook_events', ['id'], { message_id: 'message' })
const deliveryOf = prepareQuery<{ event: bigint; webhook: string }>()((db, param) =>
  db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .select('d.finished_at')
    .where('d.event_id', '=', param('event'))
    .where('d.webhook_id', '=', param('webhook'))
    .where('w.disabled_at', 'is', null)
    .where('w.removed_at', 'is', null),
)
const reopen = prepare.update(
  'webhook_deliveries',
  { due_at: 'now', tries: 0n, resent: 1n, finished_at: null, outcome: null },
  { event_id: 'event', webhook_id: 'webhook', finished_at: { 'is not': null } },
  ['webhook_id'],
)
const hurry = prepare.update(
  'webhook_deliveries',
  { due_at: 'now', tries: 0n },
  { event_id: 'event', webhook_id: 'webhook', due_at: { 'is not': null }, claim: null },
  ['webhook_id'],
)

/**
 * Resends an event to a webhook, under its id. A delivery that is waiting for its next attempt is retried now. False if
 * there is nothing to resend.
 */
export const resend = lockedTransaction(
  async (session, messageId: string, webhook: string, now: number) => {
    const message = await findOne(session, eventOf, { message: messageId })
    const event = message?.id
    if (event === undefined) return false
    const delivery = await findOne(session, deliveryOf, { event, webhook })
    if (!delivery) return false
    const query = delivery.finished_at === null ? hurry : reopen
    const changed = await session.all(query, { event, webhook, now })
    session.announce?.()
    return changed.length > 0
  },
)
