// The deliveries of events to webhooks: an outbox (kit/outbox/outbox.ts has its rules), with a row for each event and each
// active webhook that wants it, and a log of its attempts. The events of an animal are delivered in order:
//   held       behind an open delivery of the same animal. That one ends, or is dropped: waiting
//   waiting    until `due_at`. One process claims it, while the webhook is active: claimed
//   claimed    an attempt is under way. It fails: waiting for the next one. Its lease expires: another process claims it
//   delivered  or failed, after the last attempt: `finished_at` and `outcome` are set. Resent, it waits again, out of order
// While a webhook is disabled, none of its deliveries is claimed. forget-deliveries.ts deletes what is old.
import { type Database, findOne, getOne, type Session } from '#kit/database/database.ts'
import { plainRow } from '#kit/database/plain-row.ts'
import { outboxOf } from '#kit/outbox/outbox.ts'
import { lockedTransaction, lockState } from '#store/database/state.ts'
import { insertRow, prepare, prepareQuery, type StoreTables } from '#store/database/tables.ts'
import { disableWithin, findWebhook } from './webhooks.ts'

/** An active webhook. `secret` is encrypted; `nextDueAt` is undefined if no delivery is waiting. */
export type Target = Awaited<ReturnType<typeof readTargets>>[number]

/** The active webhooks, each with the time of its next delivery. */
export async function readTargets(database: Database) {
  return (await database.read.all(targets, {})).map(plainRow)
}

export type Claimed = Awaited<ReturnType<typeof deliveries.claim>>[number]

/** Claims at most `max` deliveries of each of some webhooks that are due, the longest due first. */
export const claimDeliveries = lockedTransaction(
  async (session, wanted: { webhook: string; max: number }[], now: number): Promise<Claimed[]> => {
    const claimed: Claimed[] = []
    for (const of of wanted) claimed.push(...(await deliveries.claim(session, { ...of, now })))
    return claimed.sort((a, b) => (a.lease.event_id < b.lease.event_id ? -1 : 1))
  },
)

export interface Attempt {
  delivery: Claimed
  /** When it began, in milliseconds since the epoch. */
  at: number
  durationMs: number
  status: number | undefined
  /** Undefined when it was delivered. */
  error: string | undefined
  /** When it is tried again; undefined when it was delivered or is given up. */
  nextAt: number | undefined
  /** The receiver answered 410 Gone. */
  isGone: boolean
  now: number
}

const givesUpAfterMs = 5 * 24 * 3600 * 1000

/** Records an attempt. False if its lease has expired: another process has retried, or will. */
export const finishAttempt = lockedTransaction(async (session, attempt: Attempt) => {
  const { delivery, error, nextAt, now } = attempt
  const { lease } = delivery
  const { event_id, webhook_id } = lease
  const isDone = nextAt === undefined
  // In one round trip: the first is under the lease that the second gives back.
  const [row] = await Promise.all([
    findOne(session, count, {
      ...lease,
      finished: isDone ? now : null,
      outcome: isDone ? (error === undefined ? 'delivered' : 'failed') : null,
    }),
    deliveries.finish(session, lease, nextAt),
  ])
  if (!row) return false
  await insertRow(session, 'webhook_attempts', {
    ...{ webhookId: webhook_id, eventId: event_id, attempt: row.attempts, at: attempt.at },
    durationMs: attempt.durationMs,
    status: attempt.status ?? null,
    error: error ?? null,
    nextAt: nextAt ?? null,
  })
  // A resent delivery has held nothing.
  if (isDone && row.resent === 0n) {
    await session.all(release, { webhook: webhook_id, pet: delivery.pet_id, now })
  }
  await updateWebhookHealth(session, attempt)
  return true
})

/** Records since when the webhook fails, and disables it if that is too long or it is gone. */
async function updateWebhookHealth(
  session: Session,
  { delivery, error, isGone, now }: Attempt,
): Promise<void> {
  const webhookId = delivery.lease.webhook_id
  if (error === undefined) {
    await session.all(setHealthy, { id: webhookId })
    return
  }
  await session.all(setFailing, { id: webhookId, now })
  const { failingSince = now } = (await findWebhook(session, webhookId)) ?? {}
  if (isGone) await disableWithin(session, webhookId, 'gone', now)
  else if (now - failingSince >= givesUpAfterMs)
    await disableWithin(session, webhookId, 'failing', now)
}

/** Open deliveries, counted up to 100,000, and the age of the oldest event among them. */
export async function readQueue(
  { read }: Database,
  now: number,
): Promise<{ length: number; oldestSeconds: number }> {
  const state = await findOne(read, webhooks, {})
  if (!state?.active_webhooks) return { length: 0, oldestSeconds: 0 }
  const length = Number((await findOne(read, open, { limit: maxCounted }))?.length ?? 0)
  const since = length > 0 ? (await findOne(read, oldest, {}))?.created_at : undefined
  return { length, oldestSeconds: since ? Math.max(0, (now - Number(since)) / 1000) : 0 }
}

const maxCounted = 100_000

const targets = prepareQuery()((db) =>
  db
    .selectFrom('webhooks as w')
    .select((eb) => [
      'w.id',
      'w.url',
      'w.secret',
      'w.previous_secret',
      'w.previous_until',
      'w.failing_since',
      eb
        .selectFrom('webhook_deliveries as d')
        .select((d) => d.fn.min('d.due_at').as('next_due_at'))
        .whereRef('d.webhook_id', '=', 'w.id')
        .where('d.due_at', 'is not', null)
        .as('next_due_at'),
    ])
    .where('w.disabled_at', 'is', null)
    .where('w.removed_at', 'is', null)
    .orderBy('w.id'),
)
const content = prepareQuery<{ webhook_id: string; event_id: bigint }>()((db, param) =>
  db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhook_events as e', 'e.id', 'd.event_id')
    .select(['d.pet_id', 'd.tries', 'e.message_id', 'e.payload'])
    .where('d.webhook_id', '=', param('webhook_id'))
    .where('d.event_id', '=', param('event_id')),
)
const deliveries = outboxOf<StoreTables>()<{ webhook: string }>()({
  table: 'webhook_deliveries',
  key: ['webhook_id', 'event_id'],
  lock: lockState,
  ended: 'kept',
  read: (session, lease) => getOne(session, content, lease),
  due: (db, param) =>
    db
      .selectFrom('webhook_deliveries as d')
      .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
      .select(['d.webhook_id', 'd.event_id'])
      .where('d.webhook_id', '=', param('webhook'))
      .where('d.due_at', '<=', param('now'))
      .where('w.disabled_at', 'is', null)
      .where('w.removed_at', 'is', null)
      .orderBy('d.due_at')
      .orderBy('d.event_id')
      .limit(param('max')),
})
const count = prepare.update(
  'webhook_deliveries',
  { attempts: { add: 1n }, finished_at: 'finished', outcome: 'outcome' },
  { event_id: 'event_id', webhook_id: 'webhook_id', claim: 'token' },
  ['attempts', 'resent'],
)
const release = prepareQuery<{ webhook: string; pet: bigint; now: number }>()((db, param) =>
  db
    .updateTable('webhook_deliveries')
    .set({ due_at: param('now') })
    .where('webhook_id', '=', param('webhook'))
    .where('event_id', '=', (eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .select((d) => d.fn.min('event_id').as('event_id'))
        .where('webhook_id', '=', param('webhook'))
        .where('pet_id', '=', param('pet'))
        .where('finished_at', 'is', null)
        .where('due_at', 'is', null),
    ),
)
const setHealthy = prepare.update(
  'webhooks',
  { failing_since: null },
  { id: 'id', failing_since: { 'is not': null } },
)
const setFailing = prepare.update(
  'webhooks',
  { failing_since: 'now' },
  { id: 'id', failing_since: null },
)
const webhooks = prepareQuery()((db) => db.selectFrom('store_state').select('active_webhooks'))
const open = prepareQuery<{ limit: number }>()((db, param) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .select('event_id')
        .where('finished_at', 'is', null)
        .limit(param('limit'))
        .as('open'),
    )
    .select((eb) => eb.fn.countAll<bigint>().as('length')),
)
const oldest = prepareQuery()((db) =>
  db
    .selectFrom('webhooks as w')
    .innerJoin('webhook_events as e', (join) =>
      join.on('e.id', '=', (eb) =>
        eb
          .selectFrom('webhook_deliveries as d')
          .select((d) => d.fn.min('d.event_id').as('event_id'))
          .whereRef('d.webhook_id', '=', 'w.id')
          .where('d.finished_at', 'is', null),
      ),
    )
    .select((eb) => eb.fn.min('e.created_at').as('created_at')),
)
