// Finds rows by their ids. On PostgreSQL, ids that are asked for at once are one statement: its messages and its execution
// cost several times what one more row costs.
import { sql } from 'kysely'
import { type Awaitable, type Session, withValue } from './database.ts'
import { isOneOf, joinIds } from './json-rows.ts'
import { engineOf, queriesFor, type Value } from './query.ts'
import { shareRuns } from './share-runs.ts'

/** `rowFinder<Tables>()(table, columns)` gives a function that finds a row as a tuple. The id is the first column. */
export function rowFinder<Tables>() {
  return <Table extends keyof Tables & string>(
    table: Table,
    columns: readonly (keyof Tables[Table] & string)[],
  ) => createRowFinder(table, columns)
}

function createRowFinder(table: string, columns: readonly string[]) {
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
