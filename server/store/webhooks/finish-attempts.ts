// What an attempt comes to, written down under the lock: delivered, to be tried again, or given up. Whatever
// has finished lets the next event of its animal go. Only the claim's holder may write.
import { type Database, each, findOne, type Session } from '../../platform/database/database.ts'
import { lockState } from '../database/state.ts'
import { prepareQuery } from '../database/tables.ts'
import type { Claimed } from './delivery-queue.ts'
import { type DisabledReason, disableWithin } from './webhooks.ts'

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
export async function finishAttempt(database: Database, attempt: Attempt): Promise<boolean> {
  return await database.write(finishAttemptTransaction, attempt)
}

const finishAttemptTransaction = each(async (session, attempt: Attempt): Promise<boolean> => {
  const { delivery, error, nextAt, now } = attempt
  const { eventId, webhookId } = delivery
  const isDone = nextAt === undefined
  await lockState(session)
  const row = await findOne(session, finish, {
    event: eventId,
    webhook: webhookId,
    claim: delivery.claim,
    due: nextAt ?? null,
    finished: isDone ? now : null,
    outcome: isDone ? (error === undefined ? 'delivered' : 'failed') : null,
  })
  if (!row) return false
  await session.all(insertAttempt, {
    webhook: webhookId,
    event: eventId,
    attempt: row.attempts,
    at: attempt.at,
    duration: attempt.durationMs,
    status: attempt.status ?? null,
    error: error ?? null,
    next: nextAt ?? null,
  })
  // A resent delivery has held nothing.
  if (isDone && row.resent === 0n) {
    await session.all(release, { webhook: webhookId, pet: delivery.petId, now })
  }
  await minds(session, attempt)
  return true
})

/** The webhook as a whole: since when it fails, and when that is enough. */
async function minds(session: Session, { delivery, error, isGone, now }: Attempt): Promise<void> {
  const { webhookId } = delivery
  if (error === undefined) {
    await session.all(setHealthy, { id: webhookId })
    return
  }
  const row = await findOne(session, setFailing, { id: webhookId, now })
  let reason: DisabledReason | undefined
  if (isGone) reason = 'gone'
  else if (row && now - Number(row.failing_since) >= givesUpAfterMs) reason = 'failing'
  if (reason) await disableWithin(session, webhookId, reason, now)
}

const finish = prepareQuery<{
  event: bigint
  webhook: string
  claim: string
  due: number | null
  finished: number | null
  outcome: string | null
}>()((db, param) =>
  db
    .updateTable('webhook_deliveries')
    .set((eb) => ({
      due_at: param('due'),
      claim: null,
      attempts: eb('attempts', '+', 1n),
      tries: eb('tries', '+', 1n),
      finished_at: param('finished'),
      outcome: param('outcome'),
    }))
    .where('event_id', '=', param('event'))
    .where('webhook_id', '=', param('webhook'))
    .where('claim', '=', param('claim'))
    .returning(['attempts', 'resent']),
)
const insertAttempt = prepareQuery<{
  webhook: string
  event: bigint
  attempt: bigint
  at: number
  duration: number
  status: number | null
  error: string | null
  next: number | null
}>()((db, param) =>
  db.insertInto('webhook_attempts').values({
    webhook_id: param('webhook'),
    event_id: param('event'),
    attempt: param('attempt'),
    at: param('at'),
    duration_ms: param('duration'),
    status: param('status'),
    error: param('error'),
    next_at: param('next'),
  }),
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
const setHealthy = prepareQuery<{ id: string }>()((db, param) =>
  db
    .updateTable('webhooks')
    .set({ failing_since: null })
    .where('id', '=', param('id'))
    .where('failing_since', 'is not', null),
)
const setFailing = prepareQuery<{ id: string; now: number }>()((db, param) =>
  db
    .updateTable('webhooks')
    .set((eb) => ({
      failing_since: eb.fn.coalesce('failing_since', eb.val(param('now'))),
    }))
    .where('id', '=', param('id'))
    .returning('failing_since'),
)
