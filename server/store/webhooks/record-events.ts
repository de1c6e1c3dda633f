// The outbox: events are written in the transaction of the change they tell of, with a delivery for each
// webhook that wants them. They are numbered under the lock that puts writes in order.
import { sql } from 'kysely'
import type { Session } from '../../platform/database/database.ts'
import { rowInserter } from '../../platform/database/insert-rows.ts'
import { messageBody } from '../../platform/webhooks/message-body.ts'
import { createId } from '../../platform/webhooks/signature.ts'
import type { State } from '../database/state.ts'
import { prepareQuery, type StoreTables } from '../database/tables.ts'
import type { EventType } from './event-types.ts'

export interface StoreEvent {
  type: EventType
  /** The animal that it is about, or whose order: its events are delivered in order. */
  petId: bigint
  /** The record as the API shows it, in JSON. */
  data: string
}

/**
 * Records what a write has changed; does nothing without webhooks. `state` is what changeState gave;
 * the events of one call are of different animals. `now` is in milliseconds since the epoch.
 */
export async function recordEvents(
  session: Session,
  state: State,
  now: number,
  describe: () => StoreEvent[],
): Promise<void> {
  if (state.active_webhooks === 0n) return
  const wanted = await wantedTypes(session)
  const events = describe().filter(({ type }) => wanted.has('*') || wanted.has(type))
  if (events.length === 0) return
  const [row] = await session.all(takeIds, { count: events.length })
  if (!row) throw new Error('store_state is empty')
  const first = row.last_event_id - BigInt(events.length) + 1n
  await insertRows(
    session,
    events.map(({ data, petId, type }, i) => ({
      id: first + BigInt(i),
      message_id: createId('msg_'),
      type,
      pet_id: petId,
      created_at: BigInt(now),
      payload: messageBody(type, now, data),
    })),
  )
  await session.all(fanOut, { first, last: row.last_event_id })
  session.announce?.()
}

async function wantedTypes(session: Session): Promise<Set<string>> {
  const rows = await session.all(activeEvents, {})
  return new Set(rows.flatMap(({ events }) => events.split(' ')))
}

const activeEvents = prepareQuery()((db) =>
  db
    .selectFrom('webhooks')
    .select('events')
    .where('disabled_at', 'is', null)
    .where('removed_at', 'is', null),
)
const takeIds = prepareQuery<{ count: number }>()((db, param) =>
  db
    .updateTable('store_state')
    .set((eb) => ({ last_event_id: eb('last_event_id', '+', param('count')) }))
    .returning('last_event_id'),
)

/** Held behind what is still open of the same animal, else due at once. */
const fanOut = prepareQuery<{ first: bigint; last: bigint }>()((db, param) => ({
  compile: () =>
    sql`
      insert into webhook_deliveries
        (event_id, webhook_id, pet_id, due_at, attempts, tries, resent)
      select e.id, w.id, e.pet_id,
        case when exists (
          select 1 from webhook_deliveries o
          where o.webhook_id = w.id and o.pet_id = e.pet_id
            and o.finished_at is null and o.resent = 0
        ) then null else e.created_at end,
        0, 0, 0
      from webhook_events e cross join webhooks w
      where e.id between ${param('first')} and ${param('last')}
        and w.disabled_at is null and w.removed_at is null
        and (w.events = '*' or ' ' || w.events || ' ' like '% ' || e.type || ' %')
    `.compile(db),
}))

const insertRows = rowInserter<StoreTables>()('webhook_events', [
  'id',
  'message_id',
  'type',
  'pet_id',
  'created_at',
  'payload',
])
