// Records events in the transaction of the change that they report, with a delivery for each webhook that wants them. They
// are numbered under the lock that orders the writes.
import { sql } from 'kysely'
import type { Session, WriteSession } from '#kit/database/database.ts'
import { jsonRows, rowsToJson } from '#kit/database/json-rows.ts'
import { createId, messageBody } from '#kit/webhooks/send-message.ts'
import { prepare, prepareQuery } from '../database/tables.ts'

/** The events that webhooks can get. */
export const eventTypes = [
  'pet.created',
  'pet.updated',
  'pet.deleted',
  'order.placed',
  'order.approved',
  'order.delivered',
  'order.cancelled',
] as const

export type EventType = (typeof eventTypes)[number]

export interface StoreEvent {
  type: EventType
  /** The animal that it is about, or whose order: its events are delivered in order. */
  petId: bigint
  /** The record as the API shows it, in JSON. */
  data: string
}

/**
 * Records what writes have changed, from the id `first` on, under the lock and without waiting: those events that an active
 * webhook wants. `at` is in milliseconds since the epoch.
 */
export function recordEvents(
  session: WriteSession,
  first: bigint,
  events: { event: StoreEvent; at: number }[],
): void {
  const rows = events.map(({ at, event: { data, petId, type } }, i) => ({
    id: first + BigInt(i),
    message_id: createId('msg_'),
    type,
    pet_id: petId,
    created_at: at,
    payload: messageBody(type, at, data),
  }))
  session.run(insertWanted, { events: rowsToJson(rows) })
  session.run(fanOut, { first, last: first + BigInt(events.length) - 1n })
  session.announce?.()
}

/** Whether the active webhook `w` wants the event `e`. */
const isWanted = sql`w.disabled_at is null and w.removed_at is null
  and (w.events = '*' or ' ' || w.events || ' ' like '% ' || e.type || ' %')`

const insertWanted = prepareQuery<{ events: string }>()((db, param) => {
  const columns = {
    ...({ id: 'bigint', message_id: 'text', type: 'text', pet_id: 'bigint' } as const),
    ...({ created_at: 'bigint', payload: 'text' } as const),
  }
  return sql<unknown>`
        insert into webhook_events (id, message_id, type, pet_id, created_at, payload)
        select e.id, e.message_id, e.type, e.pet_id, e.created_at, e.payload
        from ${jsonRows(db, param('events'), 'e', columns)}
        where exists (select 1 from webhooks w where ${isWanted})`
})

/** Held behind what is still open of the same animal, else due at once. */
const fanOut = prepareQuery<{ first: bigint; last: bigint }>()(
  (_db, param) => sql<unknown>`
      insert into webhook_deliveries
        (event_id, webhook_id, pet_id, due_at, attempts, tries, resent)
      select e.id, w.id, e.pet_id,
        case when row_number() over (partition by w.id, e.pet_id order by e.id) > 1 or exists (
          select 1 from webhook_deliveries o
          where o.webhook_id = w.id and o.pet_id = e.pet_id
            and o.finished_at is null and o.resent = 0
        ) then null else e.created_at end,
        0, 0, 0
      from webhook_events e cross join webhooks w
      where e.id between ${param('first')} and ${param('last')} and ${isWanted}
    `,
)

/** Drops every open delivery with its attempts and event. To be called in a write, under the lock. */
export async function dropOpenDeliveries(session: Session): Promise<void> {
  for (const query of [dropAttempts, dropDeliveries, dropEvents]) await session.all(query, {})
}

const dropAttempts = prepareQuery()((db) =>
  db
    .deleteFrom('webhook_attempts')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhook_deliveries as d')
          .select('d.event_id')
          .whereRef('d.event_id', '=', 'webhook_attempts.event_id')
          .whereRef('d.webhook_id', '=', 'webhook_attempts.webhook_id')
          .where('d.finished_at', 'is', null),
      ),
    ),
)
const dropDeliveries = prepare.delete('webhook_deliveries', { finished_at: null })
const dropEvents = prepareQuery()((db) =>
  db
    .deleteFrom('webhook_events')
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
