// Records the result of an attempt under the lock: delivered, to be retried, or failed. A delivery that has finished
// releases the next event of its animal. Only the holder of the lease may write.
import { findOne, type Session } from '#kit/database/database.ts'
import { lockedTransaction } from '../database/state.ts'
import { prepareInsert, prepareQuery } from '../database/tables.ts'
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
export const finishAttempt = lockedTransaction(async (session, attempt: Attempt) => {
  const { delivery, error, nextAt, now } = attempt
  const { eventId, webhookId } = delivery
  const isDone = nextAt === undefined
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
    webhook_id: webhookId,
    event_id: eventId,
    attempt: row.attempts,
    at: attempt.at,
    duration_ms: attempt.durationMs,
    status: attempt.status ?? null,
    error: error ?? null,
    next_at: nextAt ?? null,
  })
  // A resent delivery has held nothing.
  if (isDone && row.resent === 0n) {
    await session.all(release, { webhook: webhookId, pet: delivery.petId, now })
  }
  await updateWebhookHealth(session, attempt)
  return true
})

/** Records since when the webhook fails, and disables it if that is too long or it is gone. */
async function updateWebhookHealth(
  session: Session,
  { delivery, error, isGone, now }: Attempt,
): Promise<void> {
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
const insertAttempt = prepareInsert('webhook_attempts', [
  'webhook_id',
  'event_id',
  'attempt',
  'at',
  'duration_ms',
  'status',
  'error',
  'next_at',
])
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
