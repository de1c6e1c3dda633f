// Checks whether a database responds, how fast, and how large it is.
import { sql } from 'kysely'
import { type Database, getOne } from '../database/database.ts'
import { queriesFor } from '../database/query.ts'

export interface DatabaseHealth {
  name: string
  isReady: boolean
  /** The response time. */
  milliseconds: number
  /** Undefined if it does not respond. */
  sizeBytes: number | undefined
}

const prepareQuery = queriesFor<Record<never, never>>()

/** The size of the database file, without its write-ahead log. */
const sizeOnSqlite = prepareQuery()((db) =>
  db.selectNoFrom(
    sql<bigint>`(select page_count from pragma_page_count()) * (select page_size from pragma_page_size())`.as(
      'bytes',
    ),
  ),
)
/** The size of all tables and indexes in the schema. */
const sizeOnPostgres = prepareQuery()((db) =>
  db.selectNoFrom(
    sql<bigint>`(select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint from pg_class where relkind in ('r', 'm') and relnamespace = current_schema()::regnamespace)`.as(
      'bytes',
    ),
  ),
)

/** Never throws. Database calls have their own time-outs. */
export async function checkDatabase(name: string, database: Database): Promise<DatabaseHealth> {
  const start = performance.now()
  const query = database.engine === 'sqlite' ? sizeOnSqlite : sizeOnPostgres
  const found = await Promise.resolve()
    .then(() => getOne(database.read, query, {}))
    .catch(() => undefined)
  return {
    name,
    isReady: found !== undefined,
    milliseconds: Math.round((performance.now() - start) * 1000) / 1000,
    sizeBytes: found && Number(found.bytes),
  }
}
