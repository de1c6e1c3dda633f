// What is due, and which process sends it: the one that holds the delivery's lease, which expires at the
// next due time.
import { type Database, findOne, getOne, transaction } from '#kit/database/database.ts'
import { plainRow } from '#kit/database/plain-row.ts'
import { leasesOf } from '#kit/jobs/lease.ts'
import { lockState } from '../database/state.ts'
import { prepareQuery, type StoreTables } from '../database/tables.ts'

export interface Claimed {
  claim: string
  webhookId: string
  eventId: bigint
  petId: bigint
  messageId: string
  payload: string
  /** Attempts that have failed since it was recorded or resent. */
  tries: number
}

/** An active webhook. `secret` is encrypted; `nextDueAt` is undefined if no delivery is waiting. */
export type Target = Awaited<ReturnType<typeof readTargets>>[number]

/** The active webhooks, each with the time of its next delivery. */
export async function readTargets(database: Database) {
  return (await database.read.all(targets, {})).map(plainRow)
}

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
const deliveryLeases = leasesOf<StoreTables>()<{ webhook: string }>()({
  table: 'webhook_deliveries',
  key: ['webhook_id', 'event_id'],
  token: 'claim',
  expiresAt: 'due_at',
  // Longer than an attempt with all that belongs to it can take.
  durationMs: 60_000,
  lock: lockState,
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
const claimed = prepareQuery<{ webhook: string; event: bigint }>()((db, param) =>
  db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhook_events as e', 'e.id', 'd.event_id')
    .select(['d.pet_id', 'd.tries', 'e.message_id', 'e.payload'])
    .where('d.webhook_id', '=', param('webhook'))
    .where('d.event_id', '=', param('event')),
)

/** Claims at most `max` deliveries of a webhook that are due, the longest due first. */
export const claimDeliveries = transaction(
  async (session, webhook: string, max: number, now: number): Promise<Claimed[]> => {
    const leases = await deliveryLeases.claim(session, { webhook, max, now })
    const deliveries: Claimed[] = []
    for (const { event_id: eventId, token, webhook_id: webhookId } of leases) {
      const row = await getOne(session, claimed, { webhook: webhookId, event: eventId })
      deliveries.push({
        claim: token,
        webhookId,
        eventId,
        petId: row.pet_id,
        messageId: row.message_id,
        payload: row.payload,
        tries: Number(row.tries),
      })
    }
    return deliveries.sort((a, b) => (a.eventId < b.eventId ? -1 : 1))
  },
)

const maxCounted = 100_000

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
