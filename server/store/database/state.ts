// The one row that every write touches first. On PostgreSQL it is the lock that puts writes in order, so
// that ids become visible in the order in which they are given; it also keeps the counters.
import type { Awaitable, Database, Session } from '../../platform/database/database.ts'
import { watchRow } from '../../platform/database/watch-row.ts'
import { prepareQuery } from './tables.ts'

/** What a write changes of it; what is left out stays. Last ids are added to, counters too. */
export interface StateChange {
  last_pet_id?: number
  available?: number
  pending?: number
  sold?: number
  last_category_id?: number
  categories?: number
  last_order_id?: number
  placed?: number
  approved?: number
  delivered?: number
  cancelled?: number
}

const columns = [
  'last_pet_id',
  'available',
  'pending',
  'sold',
  'last_category_id',
  'categories',
  'last_order_id',
  'placed',
  'approved',
  'delivered',
  'cancelled',
] as const

const shown = [...columns, 'active_webhooks'] as const

export type State = Record<(typeof shown)[number], bigint>

const take = prepareQuery()((db) =>
  db.updateTable('store_state').set((eb) => ({ id: eb.ref('id') })),
)
const change = prepareQuery<Required<StateChange>>()((db, param) =>
  db
    .updateTable('store_state')
    .set((eb) => ({
      content_version: eb('content_version', '+', 1n),
      ...Object.fromEntries(columns.map((column) => [column, eb(column, '+', param(column))])),
    }))
    .returning(shown),
)
const read = prepareQuery()((db) => db.selectFrom('store_state').select(shown))
const nothing = Object.fromEntries(columns.map((column) => [column, 0])) as Required<StateChange>

/** Takes the lock, so that what another node has just committed is seen. */
export async function lockState(session: Session): Promise<void> {
  await session.all(take, {})
}

/** Moves the content's version, last ids and counters; gives the row as it is then. */
export async function changeState(session: Session, changes: StateChange): Promise<State> {
  const [state] = await session.all(change, { ...nothing, ...changes })
  if (!state) throw new Error('store_state is empty')
  return state
}

/** The last ids and counters as they are. */
export async function readState(session: Session): Promise<State> {
  const [state] = await session.all(read, {})
  if (!state) throw new Error('store_state is empty')
  return state
}

export interface Versions {
  content: bigint
  keys: bigint
}

const versionsNow = prepareQuery()((db) =>
  db.selectFrom('store_state').select(['content_version', 'keys_version']),
)

/** Gives the versions as they are now: no commit that was acknowledged before the call is missed. */
export function watchVersions(database: Database): () => Awaitable<Versions> {
  return watchRow(database, versionsNow, ([content, keys]) => ({ content, keys }) as Versions)
}
