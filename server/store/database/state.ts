// The one row that every write touches first. On PostgreSQL it is the lock that puts writes in order, so
// that ids become visible in the order in which they are given; it also keeps the counters.

import {
  type Awaitable,
  type Database,
  getOne,
  type Session,
  type WriteSession,
} from '#kit/database/database.ts'
import { engineOf } from '#kit/database/query.ts'
import { epochsOf, watchRow } from '#kit/database/shared-reads.ts'
import { transactionsUnder } from '#kit/database/transactions.ts'
import { prepare, prepareQuery } from './tables.ts'

/** Counters, and the last ids that were given. */
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
  'last_event_id',
] as const

const shown = [...columns, 'active_webhooks', 'keys_version'] as const
/** What writes need to know. */
const known = [
  ...(['last_pet_id', 'last_category_id', 'last_order_id', 'last_event_id'] as const),
  ...(['active_webhooks', 'keys_version'] as const),
] as const

export type StateChange = Partial<Record<(typeof columns)[number], number>>
export type State = Record<(typeof shown)[number], bigint>

const take = prepareQuery()((db) =>
  db.updateTable('store_state').set((eb) => ({ id: eb.ref('id') })),
)
const change = prepareQuery<Required<StateChange>>()((db, param) =>
  db.updateTable('store_state').set((eb) => ({
    content_version: eb('content_version', '+', 1n),
    ...Object.fromEntries(columns.map((column) => [column, eb(column, '+', param(column))])),
  })),
)
const read = prepare.select('store_state', shown, {})
const lockAndRead = prepareQuery()((db) => {
  const query = db.selectFrom('store_state').select(known)
  // SQLite's transaction has the lock from its start.
  return engineOf(db) === 'postgres' ? query.forUpdate() : query
})
const nothing = Object.fromEntries(columns.map((column) => [column, 0])) as Required<StateChange>

/** Takes the lock: the statements behind it see what another node has just committed. */
export function lockState(session: WriteSession): void {
  session.run(take, {})
}

/** Transactions that hold the lock. */
export const lockedTransaction = transactionsUnder(lockState)

/** Commits, and changes nothing. */
export const commitNothing = lockedTransaction(async () => {})

/** Takes the lock. Returns what the last transaction has left. */
export async function lockAndReadState(session: Session) {
  return await getOne(session, lockAndRead, {})
}

/** Changes the content's version, and adds to last ids and counters. */
export function changeState(session: WriteSession, changes: StateChange): void {
  session.run(change, { ...nothing, ...changes })
}

/** The last ids and counters as they are. */
export async function readState(session: Session): Promise<State> {
  return await getOne(session, read, {})
}

export interface Versions {
  content: bigint
  keys: bigint
}

const versionsNow = prepare.select('store_state', ['content_version', 'keys_version'], {})

/** For a database whose state is not what it was: all processes drop what they remember. */
export const startStoreEpoch = epochsOf('store_state', ['content_version', 'keys_version'])

/** Gives the versions as they are now: no commit that was acknowledged before the call is missed. */
export function watchVersions(database: Database): () => Awaitable<Versions> {
  return watchRow(
    database,
    versionsNow,
    ([content, keys]) => ({ content, keys }) as Versions,
    () => startStoreEpoch(database),
  )
}
