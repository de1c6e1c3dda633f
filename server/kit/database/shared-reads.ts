// Reads that many requests share.
//
// The watched row makes caching exact: every write changes a version in its transaction, and a request reads the versions
// before it uses cached data, and only after it arrived.
//   SQLite: `PRAGMA data_version` says whether there was a commit; the row is read only after one.
//   PostgreSQL: one small query, shared by concurrent requests.
// Versions only ascend, by one for each write, except in a database that was restored, or lost its last commits in a
// failover: then a process that has seen a later version starts a new epoch, so that no process takes two states for one.
// An epoch is the time, in units that no number of writes reaches.
//
// The row finder finds rows by their ids. On PostgreSQL, ids that are asked for at once are one statement: its messages and
// its execution cost several times what one more row costs.

import { sql } from 'kysely'
import { type Awaitable, type Database, type Session, withValue } from './database.ts'
import { isOneOf, joinIds } from './json-rows.ts'
import { engineOf, type Query, queriesFor, type Value } from './query.ts'
import { readDatabaseClock } from './read-clock.ts'
import { unlocked } from './transactions.ts'

const retryEpochAfterMs = 1000

/**
 * Watches the single row of a query. The returned function reads its current value: no commit that was
 * acknowledged before the call is missed. `from` converts the row. While the row is unchanged, the same
 * object is returned, so that comparing is cheap. `startEpoch` is called when a value is lower than it was.
 */
export function watchRow<Seen>(
  database: Database,
  query: Query<Record<never, never>, unknown>,
  from: (row: Value[]) => Seen,
  startEpoch: () => Promise<unknown>,
): () => Awaitable<Seen> {
  let highest: Value[] | undefined
  let epochStartedAt = Number.NEGATIVE_INFINITY
  let last: { row: Value[]; seen: Seen } | undefined
  let knownAt: number | undefined
  function keep(rows: Value[][]): Seen {
    const row = rows[0] as Value[]
    if (!last?.row.every((value, i) => value === row[i])) {
      last = { row, seen: from(row) }
      if (isBehind(row)) renew()
      else highest = row
    }
    return last.seen
  }

  const isBehind = (row: Value[]): boolean =>
    highest?.some((value, i) => (row[i] as bigint) < (value as bigint)) === true

  function renew(): void {
    const now = performance.now()
    if (now - epochStartedAt < retryEpochAfterMs) return
    epochStartedAt = now
    startEpoch().catch(() => {
      // The next read tries again.
      last = undefined
      knownAt = undefined
    })
  }

  const nextRead = shareRuns(
    () => {},
    () => Promise.resolve(database.read.tuples(query, {})).then(keep),
  )

  return () => {
    const counter = database.changeCounter()
    if (counter !== undefined) {
      if (last && counter === knownAt) return last.seen
      const rows = database.read.tuples(query, {})
      if (!(rows instanceof Promise)) {
        const seen = keep(rows)
        // Not before: a row that could not be read is not known.
        knownAt = counter
        return seen
      }
    }
    return nextRead().result
  }
}

/** More versions than are written in a millisecond: the time of an epoch is above all versions of earlier ones. */
const versionsPerMs = 1n << 20n

/** `epochsOf(table, columns)` gives a function that starts an epoch of the versions in the table's only row. */
export function epochsOf(table: string, columns: readonly string[]) {
  const assignments = (first: unknown) =>
    columns.map((column) => {
      const version = sql.ref(column)
      return sql`${version} = case when ${version} < ${first} then ${first} else ${version} + 1 end`
    })
  const start = queriesFor<Record<never, never>>()<{ first: bigint }>()(
    (_db, param) =>
      sql<unknown>`update ${sql.table(table)} set ${sql.join(
        assignments(sql`cast(${param('first')} as bigint)`),
      )}`,
  )
  const startTransaction = unlocked(async (session, first: bigint) => {
    await session.all(start, { first })
  })
  return async (database: Database): Promise<void> => {
    const now = Math.floor(await readDatabaseClock(database))
    await startTransaction(database, BigInt(now) * versionsPerMs)
  }
}

/** A function that finds a row as a tuple. The id is the first column. */
export function createRowFinder(table: string, columns: readonly string[]) {
  const selected = sql.join(columns.map((column) => sql.ref(column)))
  // On PostgreSQL the parameter joins several ids.
  const query = queriesFor<never>()<{ id: bigint }>()((db, param) => {
    const id =
      engineOf(db) === 'postgres' ? isOneOf(db, 'id', param('id')) : sql`id = ${param('id')}`
    return sql`select ${selected} from ${sql.table(table)} where ${id}`
  })
  const shared = new WeakMap<Session, ReturnType<typeof shareLookUps>>()

  const shareLookUps = (session: Session) =>
    shareRuns(
      () => new Set<bigint>(),
      async (ids) => {
        const rows = await session.tuples(query, { id: joinIds(ids) } as never)
        return new Map(rows.map((row) => [row[0], row]))
      },
    )

  return (session: Session, id: bigint): Awaitable<Value[] | undefined> => {
    if (!session.isRemote) return withValue(session.tuples(query, { id }), ([row]) => row)
    let join = shared.get(session)
    if (!join) {
      join = shareLookUps(session)
      shared.set(session, join)
    }
    const { batch, result } = join()
    batch.add(id)
    return result.then((rows) => rows.get(id))
  }
}

const maxRetryDelayMs = 200

interface Run<Batch, Result> {
  /** What a caller may add to. */
  batch: Batch
  result: Promise<Result>
}

/**
 * The returned function gives the next run, which begins after the call, at the end of the turn of the event loop or of
 * the run that is under way. `open` creates its batch. `run` is called for one batch at a time.
 */
export function shareRuns<Batch, Result>(
  open: () => Batch,
  run: (batch: Batch) => Promise<Result>,
): () => Run<Batch, Result> {
  let running: Promise<Result> | undefined
  let startedAt = 0
  let next: Run<Batch, Result> | undefined

  async function begin(batch: Batch): Promise<Result> {
    try {
      await running
      await new Promise((resolve) => setImmediate(resolve))
    } catch (error) {
      // Retry if the run failed quickly, as with a single lost connection; do not retry after a long wait.
      if (performance.now() - startedAt > maxRetryDelayMs) throw error
    } finally {
      next = undefined
    }
    startedAt = performance.now()
    running = run(batch)
    const mine = running
    const done = (): void => {
      if (running === mine) running = undefined
    }
    mine.then(done, done)
    return await mine
  }

  return () => {
    if (!next) {
      const batch = open()
      next = { batch, result: begin(batch) }
    }
    return next
  }
}
