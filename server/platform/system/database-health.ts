// Whether a database answers, how fast, and how large it is.
import { sql } from 'kysely'
import { type Database, getOne } from '../database/database.ts'
import { queriesFor } from '../database/query.ts'

export interface DatabaseHealth {
  name: string
  isReady: boolean
  /** How long the question took. */
  milliseconds: number
  /** Undefined when it does not answer. */
  sizeBytes: number | undefined
}

const prepareQuery = queriesFor<Record<never, never>>()

/** Of the database's file, without what is still in its log. */
const sizeOnSqlite = prepareQuery()((db) =>
  db.selectNoFrom(
    sql<bigint>`(select page_count from pragma_page_count()) * (select page_size from pragma_page_size())`.as(
      'bytes',
    ),
  ),
)
/** Of the tables and indexes of the database's schema. */
const sizeOnPostgres = prepareQuery()((db) =>
  db.selectNoFrom(
    sql<bigint>`(select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint from pg_class where relkind in ('r', 'm') and relnamespace = current_schema()::regnamespace)`.as(
      'bytes',
    ),
  ),
)

/** Never throws; every wait on a database ends by itself. */
export async function lookAt(name: string, database: Database): Promise<DatabaseHealth> {
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
