// Reads a database as it is, of whichever version, without changing or locking anything.
import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type Place, sqliteFileOf } from './open.ts'
import { connectClient, createPostgresServers } from './postgres-servers.ts'
import { types } from './postgres-session.ts'

const connectWithinMs = 5000

export interface Inspection {
  readonly engine: 'sqlite' | 'postgres'
  readonly bytes: number
  /** Rows by table; estimated on PostgreSQL. */
  readonly rows: ReadonlyMap<string, number>
  /** Rows of a statement without parameters. Integers are bigint or number. */
  all(sql: string): Promise<Record<string, unknown>[]>
}

/** Calls `use` with the database; undefined if it does not exist. */
export async function inspectDatabase<T>(
  place: Place,
  name: string,
  use: (found: Inspection | undefined) => Promise<T>,
): Promise<T> {
  const { databaseUrl } = place
  if (databaseUrl !== undefined) return await inspectOnPostgres(databaseUrl, name, use)
  const file = sqliteFileOf(place.dataDir, name)
  if (!existsSync(file)) return await use(undefined)
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    const tables = database
      .prepare(
        `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
      )
      .all()
      .map((table) => String(table.name))
    const rows = tables.map((table): [string, number] => {
      const counted = database.prepare(`select count(*) as count from ${table}`).get()
      return [table, Number(counted?.count)]
    })
    return await use({
      engine: 'sqlite',
      bytes: statSync(file).size,
      rows: new Map(rows),
      all: async (sql) => database.prepare(sql).all(),
    })
  } finally {
    database.close()
  }
}

async function inspectOnPostgres<T>(
  url: string,
  schema: string,
  use: (found: Inspection | undefined) => Promise<T>,
): Promise<T> {
  const client = await connectClient(
    createPostgresServers(url, connectWithinMs),
    { connectionTimeoutMillis: connectWithinMs, application_name: 'animal-store check', types },
    { search_path: schema, default_transaction_read_only: 'on' },
    () => {},
  )
  try {
    const { rows } = await client.query<{ name: string; count: bigint; bytes: bigint }>(
      `select relname::text as name, greatest(reltuples, 0)::bigint as count,
         pg_total_relation_size(oid)::bigint as bytes
       from pg_class where relnamespace = to_regnamespace($1) and relkind = 'r'`,
      [schema],
    )
    if (rows.length === 0) return await use(undefined)
    return await use({
      engine: 'postgres',
      bytes: rows.reduce((sum, { bytes }) => sum + Number(bytes), 0),
      rows: new Map(rows.map(({ count, name }) => [name, Number(count)])),
      all: async (sql) => (await client.query(sql)).rows,
    })
  } finally {
    await client.end()
  }
}
