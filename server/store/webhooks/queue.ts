// How much waits to be delivered, for the metrics.
import { type Database, findOne } from '../../platform/database/database.ts'
import { prepareQuery } from '../database/tables.ts'

const most = 100_000

const webhooks = prepareQuery()((db) => db.selectFrom('store_state').select('active_webhooks'))
const open = prepareQuery<{ most: number }>()((db, param) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('webhook_deliveries')
        .select('event_id')
        .where('finished_at', 'is', null)
        .limit(param('most'))
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
  const length = Number((await findOne(read, open, { most }))?.length ?? 0)
  const since = length > 0 ? (await findOne(read, oldest, {}))?.created_at : undefined
  return { length, oldestSeconds: since ? Math.max(0, (now - Number(since)) / 1000) : 0 }
}
