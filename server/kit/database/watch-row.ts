// Makes caching exact. Every write changes a version in its transaction. A request reads the versions
// before it uses cached data, and only after it arrived.
//   SQLite: `PRAGMA data_version` says whether there was a commit; the row is read only after one.
//   PostgreSQL: one small query, shared by concurrent requests.
// Versions only ascend, except in a database that was restored, or lost its last commits in a failover: then a process
// that has seen a later version starts a new epoch (epoch.ts), so that no process takes two states for one.
import type { Awaitable, Database } from './database.ts'
import type { Query, Value } from './query.ts'
import { shareRuns } from './share-runs.ts'

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
  let known: { row: Value[]; seen: Seen } | undefined
  let knownAt: number | undefined
  function keep(rows: Value[][]): Seen {
    const row = rows[0] as Value[]
    if (!known?.row.every((value, i) => value === row[i])) {
      known = { row, seen: from(row) }
      if (isBehind(row)) renew()
      else highest = row
    }
    return known.seen
  }

  const isBehind = (row: Value[]): boolean =>
    highest?.some((value, i) => (row[i] as bigint) < (value as bigint)) === true

  function renew(): void {
    const now = performance.now()
    if (now - epochStartedAt < retryEpochAfterMs) return
    epochStartedAt = now
    startEpoch().catch(() => {
      // The next read tries again.
      known = undefined
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
      if (known && counter === knownAt) return known.seen
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
