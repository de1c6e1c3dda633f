// Backups of PostgreSQL. A consistent view of the schemas of one database is one read-only transaction with one snapshot,
// which blocks no writes. The rows are read by statements, not by pg_dump: that would have to be of the server's version,
// and only PostgreSQL reads its output. A restore fills schemas of other names, which one transaction renames at the end.
import type pg from 'pg'
import { migratePostgres } from '../database/engines/migrate.ts'
import { openDatabase } from '../database/engines/open.ts'
import { connectClient, waitForLockMs } from '../database/engines/postgres-servers.ts'
import type { Value } from '../database/query.ts'
import {
  BackupError,
  type ColumnType,
  type DatabaseShape,
  type TableShape,
  tablesLeftOut,
} from './backup-format.ts'
import {
  batchesOf,
  type RestoreTarget,
  type RowBatch,
  type Snapshot,
  type StoredColumn,
  sizeOfRow,
  tablesOf,
} from './snapshot.ts'

/** Rows of the first fetch; later ones have as many rows as fit into the bytes. */
const firstFetchRows = 16
const maxFetchRows = 5000
/** Of a table with the content of files: the next rows may be much larger. */
const maxFetchRowsOfFiles = 16
const fetchBytes = 4 * 1024 * 1024

/** The schema of a database has its name, with `suffix`. */
export async function openPostgresSnapshot(
  url: string,
  names: readonly string[],
  suffix = '',
): Promise<Snapshot> {
  const client = await connectForBackup(url)
  const schemaOf = (name: string): string => name + suffix
  try {
    await client.query('begin isolation level repeatable read read only')
    // The first statement takes the snapshot.
    const { rows } = await client.query<{ now: string }>(
      'select floor(extract(epoch from clock_timestamp()) * 1000)::text as now',
    )
    const databases: DatabaseShape[] = []
    for (const name of names) databases.push(await shapeOf(client, name, schemaOf(name)))
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
      async *readRows(name, { columns, key, name: table }) {
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
        const hasFiles = columns.some(({ type }) => type === 'bytes')
        try {
          yield* fetchAll(client, hasFiles ? maxFetchRowsOfFiles : maxFetchRows)
        } finally {
          await client.query('close backup_rows')
        }
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

/** Without time-outs of statements: they read or write whole tables. */
export async function connectForBackup(url: string): Promise<pg.Client> {
  const settings = {
    statement_timeout: 0,
    idle_in_transaction_session_timeout: 0,
    lock_timeout: waitForLockMs,
  }
  try {
    return await connectClient(url, 'backup', settings)
  } catch (error) {
    const reason = (error as Error).message || (error as { code?: string }).code
    throw new BackupError(`DATABASE_URL cannot be used: ${reason}.`, { cause: error })
  }
}

async function* fetchAll(client: pg.Client, maxRows: number): AsyncGenerator<RowBatch> {
  let count = firstFetchRows
  for (;;) {
    const { rows } = await client.query<Value[]>({
      text: `fetch ${count} from backup_rows`,
      rowMode: 'array',
    })
    if (rows.length > 0) yield rows
    if (rows.length < count) return
    const bytesOfRow = rows.reduce((sum, row) => sum + sizeOfRow(row), 0) / rows.length
    count = Math.max(1, Math.min(maxRows, 4 * count, Math.floor(fetchBytes / bytesOfRow)))
  }
}

async function shapeOf(client: pg.Client, name: string, schema: string): Promise<DatabaseShape> {
  const { rows } = await client.query<StoredColumn>(
    `select c.relname::text as table, a.attname::text as column,
       format_type(a.atttypid, a.atttypmod) as type,
       coalesce(array_position(k.conkey, a.attnum), 0) as pk
     from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
     where c.relnamespace = to_regnamespace($1) and c.relkind = 'r'
       and c.relname not in ${tablesLeftOut}
     order by c.relname::text collate "C", a.attnum`,
    [schema],
  )
  if (rows.length === 0) {
    throw new BackupError(
      `The database has no schema ${schema}: set DATABASE_URL as the server has it.`,
    )
  }
  const version = await client.query(`select max(id) as version from ${schema}.migrations`)
  return { name, version: Number(version.rows[0]?.version), tables: tablesOf(rows, schema) }
}

const restoringSuffix = '_restoring'

export async function openPostgresTarget(
  url: string,
  names: readonly string[],
): Promise<RestoreTarget> {
  const client = await connectForBackup(url)
  const schemaOf = (name: string): string => name + restoringSuffix
  const foreignKeys: ForeignKey[] = []
  let isPublished = false

  async function dropSchemas(): Promise<void> {
    for (const name of names) await client.query(`drop schema if exists ${schemaOf(name)} cascade`)
  }

  try {
    await takeRestoreLock(client)
    // Of one that was interrupted.
    await dropSchemas()
  } catch (error) {
    await client.end()
    throw error
  }

  return {
    create: (name, migrations) => migratePostgres(url, schemaOf(name), migrations),
    async begin(databases) {
      await client.query('begin')
      for (const name of names) {
        for (const key of await findForeignKeys(client, schemaOf(name))) {
          foreignKeys.push(key)
          await client.query(`alter table ${key.table} drop constraint ${key.name}`)
        }
      }
      for (const { name, tables } of databases) {
        for (const table of tables)
          await client.query(`delete from ${schemaOf(name)}.${table.name}`)
      }
    },
    async insert(name, table, rows) {
      const text = insertInto(schemaOf(name), table)
      for (const batch of batchesOf(rows)) {
        try {
          await client.query({ text, values: parametersOf(table, batch) })
        } catch (error) {
          const { message } = error as Error
          throw new BackupError(`Rows of ${name}.${table.name} cannot be inserted: ${message}.`, {
            cause: error,
          })
        }
      }
    },
    async finish() {
      await addForeignKeys(client, foreignKeys)
      await client.query('commit')
    },
    openSnapshot: () => openPostgresSnapshot(url, names, restoringSuffix),
    async startEpoch(name, start) {
      const place = { dataDir: '', databaseUrl: url, databaseConnections: 8 }
      const database = openDatabase(place, schemaOf(name), { onError: () => {} })
      try {
        await start(database)
      } finally {
        await database.close()
      }
    },
    async publish() {
      await client.query('begin')
      for (const name of names) {
        // Only an empty one can be dropped.
        await client.query(`drop schema if exists ${name}`)
        await client.query(`alter schema ${schemaOf(name)} rename to ${name}`)
      }
      await client.query('commit; analyze')
      isPublished = true
    },
    async close() {
      try {
        await client.query('rollback')
        if (!isPublished) await dropSchemas()
      } catch {
        // The next restore drops them.
      }
      await client.end().catch(() => {})
    },
  }
}

/** Until the connection ends. Throws a BackupError if another process fills the schemas. */
async function takeRestoreLock(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ free: boolean }>(
    `select pg_try_advisory_lock(hashtext('animal-store restore')) as free`,
  )
  if (!rows[0]?.free) {
    throw new BackupError('Another restore or migration into this database is running.')
  }
}

interface ForeignKey {
  table: string
  name: string
  definition: string
}

async function findForeignKeys(client: pg.Client, schema: string): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select format('%I.%I', $1::text, t.relname) as table, format('%I', c.conname) as name,
       pg_get_constraintdef(c.oid) as definition
     from pg_constraint c join pg_class t on t.oid = c.conrelid
     where c.contype = 'f' and t.relnamespace = to_regnamespace($1)`,
    [schema],
  )
  return rows
}

/** Throws a BackupError if one does not hold. */
async function addForeignKeys(client: pg.Client, keys: readonly ForeignKey[]): Promise<void> {
  for (const { definition, name, table } of keys) {
    try {
      await client.query(`alter table ${table} add constraint ${name} ${definition}`)
    } catch (error) {
      const { detail, message } = error as pg.DatabaseError
      throw new BackupError(`A row refers to a missing one: ${detail ?? message}`)
    }
  }
}

const arrayTypes: Record<ColumnType, string> = {
  int64: 'bigint[]',
  text: 'text[]',
  bytes: 'bytea[]',
}

/** A statement with one array for each column. */
function insertInto(schema: string, { columns, name }: TableShape): string {
  const names = columns.map((column) => column.name).join(', ')
  const arrays = columns.map(({ type }, i) => `$${i + 1}::${arrayTypes[type]}`)
  return `insert into ${schema}.${name} (${names}) select * from unnest(${arrays.join(', ')})`
}

/** One array for each column. */
const parametersOf = ({ columns }: TableShape, rows: readonly Value[][]) =>
  columns.map((_, i) => rows.map((row) => parameterOf(row[i] ?? null)))

/** The driver writes integers of arrays as text. */
const parameterOf = (value: Value): string | Uint8Array | null =>
  typeof value === 'bigint' || typeof value === 'number' ? String(value) : value
