// For an environment that starts over: what has not been delivered tells of records that are gone.
import type { Session } from '../../platform/database/database.ts'
import { prepareQuery } from '../database/tables.ts'

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
const dropDeliveries = prepareQuery()((db) =>
  db.deleteFrom('webhook_deliveries').where('finished_at', 'is', null),
)
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
