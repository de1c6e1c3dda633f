// A consistent view of the schemas of one PostgreSQL database: one read-only transaction with one snapshot. Writes are
// not held. The rows are read by our own statements, not by pg_dump, whose version would have to be the server's and
// whose output only PostgreSQL reads.
import pg from 'pg'
import { connectClient, createPostgresServers } from '../database/postgres-servers.ts'
import { types } from '../database/postgres-session.ts'
import { BackupError } from './backup-error.ts'
import { type Column, type ColumnType, columnTypes, type DatabaseShape } from './backup-format.ts'
import type { Snapshot } from './snapshot.ts'

/** Rows of a fetch. They are handled as they arrive, so that memory does not depend on their size. */
const rowsPerFetch = 2000

interface NamedSchema {
  name: string
  schema: string
}

export async function openPostgresSnapshot(
  url: string,
  schemas: readonly NamedSchema[],
): Promise<Snapshot> {
  const client = await connectForBackup(url)
  const schemaOf = (name: string): string =>
    schemas.find((each) => each.name === name)?.schema ?? name
  try {
    await client.query('begin isolation level repeatable read read only')
    // The first statement takes the snapshot.
    const { rows } = await client.query<{ now: string }>(
      'select floor(extract(epoch from clock_timestamp()) * 1000)::text as now',
    )
    const databases: DatabaseShape[] = []
    for (const { name, schema } of schemas) databases.push(await shapeOf(client, name, schema))
    return {
      engine: 'postgres',
      databases,
      takenAt: Number(rows[0]?.now),
      writesHeldMs: 0,
      findProblem: () => undefined,
      async countRows(name, { name: table }) {
        const counted = await client.query(
          `select count(*) as count from ${schemaOf(name)}.${table}`,
        )
        return Number(counted.rows[0]?.count)
      },
      async readRows(name, { columns, key, name: table }, visit) {
        const selected = columns.map((column) => column.name).join(', ')
        // In the order of the bytes, as SQLite's, whatever the collation of the database.
        const typeOf = new Map(columns.map((column) => [column.name, column.type]))
        const order = key.map((column) =>
          typeOf.get(column) === 'text' ? `${column} collate "C"` : column,
        )
        await client.query(
          `declare backup_rows no scroll cursor for select ${selected} from ${schemaOf(name)}.${table}
           order by ${order.join(', ')}`,
        )
        while ((await fetchRows(client, visit)) > 0);
        await client.query('close backup_rows')
      },
      async close() {
        await client.end().catch(() => {})
      },
    }
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

const connectWithinMs = 5000
const waitForLockMs = 60_000

/** Without time-outs of statements: they read or write whole tables. */
export async function connectForBackup(url: string): Promise<pg.Client> {
  const config = {
    application_name: 'animal-store backup',
    connectionTimeoutMillis: connectWithinMs,
    keepAlive: true,
    types,
  }
  const settings = {
    statement_timeout: 0,
    idle_in_transaction_session_timeout: 0,
    lock_timeout: waitForLockMs,
  }
  try {
    // A connection that is lost ends the statement that is running, with an error.
    const servers = createPostgresServers(url, connectWithinMs)
    return await connectClient(servers, config, settings, () => {})
  } catch (error) {
    const reason = (error as Error).message || (error as { code?: string }).code
    throw new BackupError(`DATABASE_URL cannot be used: ${reason}.`, { cause: error })
  }
}

/** Returns how many there were. */
function fetchRows(
  client: pg.Client,
  visit: (values: readonly unknown[]) => void,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0
    let failure: unknown
    const text = `fetch ${rowsPerFetch} from backup_rows`
    const query = new pg.Query<unknown[]>({ text, rowMode: 'array', types } as pg.QueryConfig)
    query.on('row', (values) => {
      rows += 1
      if (failure !== undefined) return
      try {
        visit(values as unknown as unknown[])
      } catch (error) {
        failure = error
      }
    })
    query.on('error', reject)
    query.on('end', () => (failure === undefined ? resolve(rows) : reject(failure)))
    client.query(query)
  })
}

const [int64, text, bytes] = columnTypes
const typeNames: Record<string, ColumnType | undefined> = {
  bigint: int64,
  integer: int64,
  text,
  bytea: bytes,
}

async function shapeOf(client: pg.Client, name: string, schema: string): Promise<DatabaseShape> {
  const { rows } = await client.query<{ table: string; column: string; type: string; pk: number }>(
    `select c.relname::text as table, a.attname::text as column,
       format_type(a.atttypid, a.atttypmod) as type,
       coalesce(array_position(k.conkey, a.attnum), 0) as pk
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
     where c.relnamespace = to_regnamespace($1) and c.relkind = 'r' and c.relname <> 'migrations'
     order by c.relname::text collate "C", a.attnum`,
    [schema],
  )
  if (rows.length === 0) {
    throw new BackupError(
      `The database has no schema ${schema}: set DATABASE_URL as the server has it.`,
    )
  }
  const version = await client.query(`select max(id) as version from ${schema}.migrations`)
  const byTable = Map.groupBy(rows, ({ table }) => table)
  const tables = [...byTable].map(([table, columns]) => ({
    name: table,
    columns: columns.map(({ column, type }): Column => {
      const known = typeNames[type]
      if (!known) throw new BackupError(`Unknown type ${type} of ${schema}.${table}.${column}.`)
      return { name: column, type: known }
    }),
    key: columns
      .filter(({ pk }) => pk > 0)
      .sort((a, b) => a.pk - b.pk)
      .map(({ column }) => column),
  }))
  return { name, version: Number(version.rows[0]?.version), tables }
}
