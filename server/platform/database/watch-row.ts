// What makes caching exact. Every write moves a version in its own transaction; whoever wants to use
// something remembered asks for the versions first, after its request arrived, never before.
//   SQLite: a counter in shared memory says whether anybody committed; mostly nothing need be read.
//   PostgreSQL: one small query; requests that wait for it together share it.
import type { Awaitable, Database } from './database.ts'
import type { Query, Value } from './query.ts'

const askAgainWithinMs = 200

/**
 * Watches the one row of a query. What it gives reads the row as it is now: no commit that was
 * acknowledged before the call is missed. `from` makes of the row what is given, the same object while
 * nothing in the row changed, so that comparing is cheap.
 */
export function watchRow<Seen>(
  database: Database,
  query: Query<Record<never, never>, unknown>,
  from: (row: Value[]) => Seen,
): () => Awaitable<Seen> {
  let known: { row: Value[]; seen: Seen } | undefined
  let knownAt: number | undefined
  let asking: Promise<Seen> | undefined
  let askedAt = 0
  let next: Promise<Seen> | undefined

  function keep(rows: Value[][]): Seen {
    const row = rows[0] as Value[]
    if (!known?.row.every((value, i) => value === row[i])) known = { row, seen: from(row) }
    return known.seen
  }

  function ask(): Promise<Seen> {
    const mine = Promise.resolve(database.read.tuples(query, {})).then(keep)
    asking = mine
    askedAt = performance.now()
    const done = (): void => {
      if (asking === mine) asking = undefined
    }
    mine.then(done, done)
    return mine
  }

  async function askAfter(before: Promise<Seen>): Promise<Seen> {
    try {
      await before
    } catch (error) {
      // A lost connection is known at once and may be the only one; after a long silence none is asked again.
      if (performance.now() - askedAt > askAgainWithinMs) throw error
    } finally {
      next = undefined
    }
    return await ask()
  }

  return () => {
    const counter = database.changeCounter()
    if (counter !== undefined) {
      if (known && counter === knownAt) return known.seen
      const rows = database.read.tuples(query, {})
      if (!(rows instanceof Promise)) {
        knownAt = counter
        return keep(rows)
      }
    }
    if (!asking) return ask()
    // The question under way was asked before this request came: the next one is for us.
    next ??= askAfter(asking)
    return next
  }
}
