// What makes caching exact. Every write moves a version in its own transaction; whoever wants to use
// something remembered asks for the versions first, after its request arrived, never before.
//   SQLite: a counter in shared memory says whether anybody committed; mostly nothing need be read.
//   PostgreSQL: one small query; requests that wait for it together share it.
import type { Awaitable, Database } from '../platform/database/database.ts'
import type { Value } from '../platform/database/query.ts'
import { define } from './tables.ts'

export interface Versions {
  content: bigint
  keys: bigint
}

const askAgainWithinMs = 200

const versionsNow = define()((db) =>
  db.selectFrom('store_state').select(['content_version', 'keys_version']),
)

/** Gives the versions as they are now: no commit that was acknowledged before the call is missed. */
export function watchVersions(database: Database): () => Awaitable<Versions> {
  let known: Versions | undefined
  let knownAt: number | undefined
  let asking: Promise<Versions> | undefined
  let askedAt = 0
  let next: Promise<Versions> | undefined

  function keep([row]: Value[][]): Versions {
    const [content, keys] = row as [bigint, bigint]
    // The same object while nothing changed, so that comparing is cheap.
    if (!known || known.content !== content || known.keys !== keys) known = { content, keys }
    return known
  }

  function ask(): Promise<Versions> {
    const mine = Promise.resolve(database.read.tuples(versionsNow, {})).then(keep)
    asking = mine
    askedAt = performance.now()
    const done = (): void => {
      if (asking === mine) asking = undefined
    }
    mine.then(done, done)
    return mine
  }

  async function askAfter(before: Promise<Versions>): Promise<Versions> {
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
      if (known && counter === knownAt) return known
      const rows = database.read.tuples(versionsNow, {})
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
