// Restores PostgreSQL databases: into schemas of other names, which one transaction renames at the end.
import type pg from 'pg'
import { migratePostgres } from '../database/migrate.ts'
import { openDatabase } from '../database/open.ts'
import type { Value } from '../database/query.ts'
import { BackupError } from './backup-error.ts'
import type { ColumnType, TableShape } from './backup-format.ts'
import { connectForBackup, openPostgresSnapshot } from './postgres-snapshot.ts'
import type { RestoreTarget } from './restore-target.ts'
import { batchesOf } from './row-batches.ts'

const restoringSuffix = '_restoring'

export async function openPostgresTarget(
  url: string,
  names: readonly string[],
): Promise<RestoreTarget> {
  const client = await connectForBackup(url)
  const schemas = names.map((name) => ({ name, schema: name + restoringSuffix }))
  const schemaOf = (name: string): string => name + restoringSuffix
  const foreignKeys: ForeignKey[] = []
  let isPublished = false

  async function dropSchemas(): Promise<void> {
    for (const { schema } of schemas) await client.query(`drop schema if exists ${schema} cascade`)
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
      for (const { schema } of schemas) {
        for (const key of await findForeignKeys(client, schema)) {
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
    openSnapshot: () => openPostgresSnapshot(url, schemas),
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
      await renameSchemas(client, schemas)
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

/** Gives the filled schemas their names. Throws if another one has a name. */
async function renameSchemas(
  client: pg.Client,
  schemas: readonly { name: string; schema: string }[],
): Promise<void> {
  for (const { name, schema } of schemas) {
    // Only an empty one can be dropped.
    await client.query(`drop schema if exists ${name}`)
    await client.query(`alter schema ${schema} rename to ${name}`)
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
