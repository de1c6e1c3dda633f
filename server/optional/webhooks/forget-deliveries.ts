// Keeps the outbox and its log bounded: what has finished is kept for 7 days and at most 10,000 for each
// webhook; what is still open 30 days after its event is dropped; a removed webhook goes with all it had.
import { type Database, findOne } from '#kit/database/database.ts'
import { isOneOf, joinIds } from '#kit/database/json-rows.ts'
import { deleteInBatches } from '#kit/jobs/delete-old-rows.ts'
import { lockedTransaction } from '#store/database/state.ts'
import { prepare, prepareQuery } from '#store/database/tables.ts'

const keptForMs = 7 * 24 * 3600 * 1000
const droppedAfterMs = 30 * 24 * 3600 * 1000
const maxKept = 10_000

/** Deliveries for each transaction, so that no write waits long; and transactions for each call. */
const atOnce = 200
const maxBatches = 25

/** Forgets a part of what is too old; call it now and then. */
export async function deleteOldDeliveries(
  database: Database,
  now: number,
  limit: number = maxKept,
): Promise<void> {
  const { read } = database
  for (const { id: webhook, removed_at } of await read.all(webhooks, {})) {
    const surplus = await findOne(read, finishedAfter, { webhook, limit })
    const until = Math.max(now - keptForMs, Number(surplus?.finished_at ?? 0))
    const isRemoved = removed_at !== null
    await deleteAll(database, webhook, now, () =>
      read.all(finished, { webhook, until: isRemoved ? now : until, limit: atOnce }),
    )
    const openUntil = isRemoved ? now : now - droppedAfterMs
    const left = await deleteAll(database, webhook, now, async () => {
      const rows = await read.all(open, { webhook, limit: atOnce })
      return rows.filter(({ created_at }) => created_at <= openUntil)
    })
    if (isRemoved && !left) await removeWebhookRow(database, webhook)
  }
}

/** Deletes what `find` finds until it finds nothing; true when some may be left for the next time. */
async function deleteAll(
  database: Database,
  webhook: string,
  now: number,
  find: () => { event_id: bigint }[] | Promise<{ event_id: bigint }[]>,
): Promise<boolean> {
  return await deleteInBatches(async () => {
    const events = (await find()).map(({ event_id }) => event_id)
    if (events.length > 0) await forgetDeliveries(database, webhook, events, now)
    return events.length > 0
  }, maxBatches)
}

const webhooks = prepare.select('webhooks', ['id', 'removed_at'], {})
const finishedAfter = prepareQuery<{ webhook: string; limit: number }>()((db, param) =>
  db
    .selectFrom('webhook_deliveries')
    .select('finished_at')
    .where('webhook_id', '=', param('webhook'))
    .where('finished_at', 'is not', null)
    .orderBy('finished_at', 'desc')
    .limit(1)
    .offset(param('limit')),
)
const finished = prepare.select(
  'webhook_deliveries',
  ['event_id'],
  { webhook_id: 'webhook', finished_at: { '<=': 'until' } },
  { orderBy: ['finished_at'], limit: 'limit' },
)
// Numbers of events ascend with their time: the oldest come first.
const open = prepareQuery<{ webhook: string; limit: number }>()((db, param) =>
  db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhook_events as e', 'e.id', 'd.event_id')
    .select(['d.event_id', 'e.created_at'])
    .where('d.webhook_id', '=', param('webhook'))
    .where('d.finished_at', 'is', null)
    .orderBy('d.event_id')
    .limit(param('limit')),
)
const remove = prepare.delete('webhooks', { id: 'webhook', removed_at: { 'is not': null } })

const forgetOf = (table: 'webhook_deliveries' | 'webhook_attempts') =>
  prepareQuery<{ webhook: string; events: string }>()((db, param) =>
    db
      .deleteFrom(table)
      .where('webhook_id', '=', param('webhook'))
      .where(isOneOf(db, 'event_id', param('events'))),
  )
const forgetEachOf = [forgetOf('webhook_attempts'), forgetOf('webhook_deliveries')]
const forgetEvents = prepareQuery<{ events: string }>()((db, param) =>
  db
    .deleteFrom('webhook_events')
    .where(isOneOf(db, 'id', param('events')))
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_deliveries as d')
            .select('d.event_id')
            .whereRef('d.event_id', '=', 'webhook_events.id'),
        ),
      ),
    ),
)
// One that was dropped while it was open may have held another.
const release = prepareQuery<{ webhook: string; now: number }>()((db, param) =>
  db
    .updateTable('webhook_deliveries')
    .set({ due_at: param('now') })
    .where('webhook_id', '=', param('webhook'))
    .where('finished_at', 'is', null)
    .where('due_at', 'is', null)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_deliveries as o')
            .select('o.event_id')
            .whereRef('o.webhook_id', '=', 'webhook_deliveries.webhook_id')
            .whereRef('o.pet_id', '=', 'webhook_deliveries.pet_id')
            .whereRef('o.event_id', '<', 'webhook_deliveries.event_id')
            .where('o.finished_at', 'is', null)
            .where('o.resent', '=', 0n),
        ),
      ),
    ),
)

const forgetDeliveries = lockedTransaction(
  async (session, webhook: string, ids: bigint[], now: number) => {
    const events = joinIds(ids)
    for (const query of forgetEachOf) await session.all(query, { webhook, events })
    await session.all(forgetEvents, { events })
    await session.all(release, { webhook, now })
  },
)
const removeWebhookRow = lockedTransaction(async (session, webhook: string) => {
  await session.all(remove, { webhook })
})
