// Restores a backup into an empty place, on either engine: the migrations that the backup had create the schema, the rows
// are inserted, read again and compared, and only then published. A newer program migrates them at its next start. The
// command refuses a place that has anything (`requireEmpty` in cli/backups/run-restore.ts): a restore never overwrites.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Migration } from '../database/declared-tables.ts'
import type { Place } from '../database/engines/open.ts'
import { keyFileIn } from '../secrets.ts'
import { BackupError, type DatabaseShape, type TableShape, type TableSum } from './backup-format.ts'
import { connectForBackup, openPostgresTarget } from './postgres-backup.ts'
import { type CheckedBackup, readBackup, verifyBackup } from './read-backup.ts'
import { type BackupProgress, type KnownDatabase, type Snapshot, sumTable } from './snapshot.ts'
import { openSqliteTarget } from './sqlite-backup.ts'

interface RestoreOptions {
  onProgress?: (progress: BackupProgress) => void
  /** Ends it between two blocks of the file; the place is empty then. */
  signal?: AbortSignal
  /** Called once everything is restored and compared, before others see it. */
  beforePublishing?: () => void
}

/** Checks the file, and that this program can restore it. Throws a BackupError. */
export function checkRestorable(
  path: string,
  known: readonly KnownDatabase[],
  onProgress: (progress: BackupProgress) => void = () => {},
): CheckedBackup {
  const checked = verifyBackup(path, (done, total) => onProgress({ step: 'checking', done, total }))
  const { databases, program } = checked.header
  for (const { name, migrations } of known) {
    const stored = databases.find((database) => database.name === name)
    if (!stored) throw new BackupError(`${path} has no database ${name}.`)
    if (stored.version > newestOf(migrations)) {
      throw new BackupError(
        `${path} was written by a newer program (${program}): run that program, or a newer one.`,
      )
    }
  }
  const unknown = databases.find(({ name }) => !known.some((database) => database.name === name))
  if (unknown) throw new BackupError(`${path} has an unknown database ${unknown.name}.`)
  return checked
}

/** Restores a file that `checkRestorable` has checked, into a place that is empty. Throws a BackupError. */
export async function restoreBackup(
  path: string,
  place: Place,
  known: readonly KnownDatabase[],
  { header, manifest }: CheckedBackup,
  { beforePublishing = () => {}, onProgress = () => {}, signal }: RestoreOptions = {},
): Promise<void> {
  const names = known.map(({ name }) => name)
  const target =
    place.databaseUrl === undefined
      ? openSqliteTarget(place.dataDir, names)
      : await openPostgresTarget(place.databaseUrl, names)
  try {
    for (const { migrations, name } of known) {
      const version = versionOf(header.databases, name)
      await target.create(
        name,
        migrations.filter(({ id }) => id <= version),
      )
    }
    const created = await target.openSnapshot()
    await created.close()
    requireEqualShapes(path, header.databases, created.databases)
    await target.begin(created.databases)
    let into: { database: string; table: TableShape } | undefined
    const report = (done: number, total: number): void =>
      onProgress({ step: 'restoring', done, total })
    for (const part of readBackup(path, report)) {
      await setImmediate()
      signal?.throwIfAborted()
      if (part.type === 'table') into = part
      else if (part.type === 'rows' && into)
        await target.insert(into.database, into.table, part.rows)
    }
    await target.finish()
    await compare(await target.openSnapshot(), header.databases, manifest.tables, onProgress)
    for (const { name, startEpoch } of known) {
      if (startEpoch) await target.startEpoch(name, startEpoch)
    }
    beforePublishing()
    await target.publish()
  } finally {
    await target.close()
  }
}

const newestOf = (migrations: readonly Migration[]): number => migrations.at(-1)?.id ?? 0

const versionOf = (databases: readonly DatabaseShape[], name: string): number =>
  databases.find((database) => database.name === name)?.version ?? 0

/** Throws a BackupError if the tables are not those that this program has created. `what` is where they are stored. */
function requireEqualShapes(
  what: string,
  stored: readonly DatabaseShape[],
  created: readonly DatabaseShape[],
): void {
  for (const { name, tables } of stored) {
    const equivalent = created.find((database) => database.name === name)
    const [has, should] = [describeTables(equivalent?.tables ?? []), describeTables(tables)]
    if (has === should) continue
    throw new BackupError(
      `${what} has other tables in ${name} than this program: use the program that wrote it.`,
    )
  }
}

/** Without the order of tables and columns. */
function describeTables(tables: readonly TableShape[]): string {
  const lines = tables.map(({ columns, key, name }) => {
    const described = columns.map((column) => `${column.name} ${column.type}`).sort()
    return `${name} (${described.join(', ')}) by ${key.join(', ')}`
  })
  return lines.sort().join('\n')
}

/** Reads what was inserted, and compares rows and digests of each table with those of the backup. */
async function compare(
  snapshot: Snapshot,
  stored: readonly DatabaseShape[],
  sums: readonly TableSum[],
  onProgress: (progress: BackupProgress) => void,
): Promise<void> {
  const total = sums.reduce((sum, { rows }) => sum + rows, 0)
  let done = 0
  try {
    for (const { database, rows, sha256, table } of sums) {
      // With the columns in the order of the backup.
      const { tables = [] } = stored.find(({ name }) => name === database) ?? {}
      const shape = tables.find(({ name }) => name === table)
      if (!shape) throw new BackupError(`The table ${database}.${table} is missing in the header.`)
      const sum = await sumTable(snapshot, database, shape, (count) => {
        done += count
        onProgress({ step: 'comparing', done, total })
      })
      if (sum.rows !== rows || sum.sha256 !== sha256) {
        throw new BackupError(
          `The table ${database}.${table} was not restored as it is in the backup: ${sum.rows} rows instead of ${rows}, or other values.`,
        )
      }
    }
  } finally {
    await snapshot.close()
  }
}

/** A line for each database file, also a write-ahead log alone, or each schema with tables; empty for an empty place. */
export async function findExisting(
  { databaseUrl, dataDir }: Place,
  names: readonly string[],
): Promise<string[]> {
  return databaseUrl === undefined
    ? findFiles(dataDir, names)
    : await findSchemas(databaseUrl, names)
}

/** The key file, if there is one with another key. */
export function findOtherKey(dataDir: string, key: Buffer): string[] {
  const file = keyFileIn(dataDir)
  try {
    return readFileSync(file).equals(key) ? [] : [`${file} (another key)`]
  } catch {
    return []
  }
}

function findFiles(dataDir: string, names: readonly string[]): string[] {
  const isDatabase = new RegExp(
    `^(${names.map(RegExp.escape).join('|')})\\.db(-wal|-shm|-journal)?$`,
  )
  let files: string[]
  try {
    files = readdirSync(dataDir)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  return files
    .filter((name) => isDatabase.test(name))
    .sort()
    .map((name) => {
      const file = join(dataDir, name)
      const { mtime, size } = statSync(file)
      return `${file} (${size.toLocaleString('en')} bytes, changed ${mtime.toISOString()})`
    })
}

async function findSchemas(url: string, names: readonly string[]): Promise<string[]> {
  const client = await connectForBackup(url)
  try {
    const { rows } = await client.query<{ schema: string; tables: string; bytes: string }>(
      `select n.nspname::text as schema, count(*)::text as tables,
         sum(pg_total_relation_size(c.oid))::text as bytes
       from pg_namespace n join pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'v', 'm')
       where n.nspname = any($1) group by 1 order by 1`,
      [names],
    )
    return rows.map(({ bytes, schema, tables }) => {
      const size = Number(bytes).toLocaleString('en')
      return `schema ${schema} (${tables} ${tables === '1' ? 'table' : 'tables'}, ${size} bytes)`
    })
  } finally {
    await client.end()
  }
}
