// Finds rows by their ids. On PostgreSQL, ids that are asked for at once are one statement: its messages and its execution
// cost several times what one more row costs.
import { type RawBuilder, sql } from 'kysely'
import { type Awaitable, type Session, withValue } from './database.ts'
import { isOneOf, joinIds } from './json-rows.ts'
import { engineOf, type Query, type Value } from './query.ts'
import { shareRuns } from './share-runs.ts'

export interface ById {
  id: bigint
}

/** A condition: the row's id is the parameter `id` or, on PostgreSQL, one of those that it joins. */
export function hasId(db: object, id: unknown): RawBuilder<boolean> {
  return engineOf(db) === 'postgres' ? isOneOf(db, 'id', id) : sql`id = ${id}`
}

/** The returned function finds a row as a tuple. `query` selects the id first, where `hasId`. */
export function createRowFinder<Row>(query: Query<ById, Row>) {
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
