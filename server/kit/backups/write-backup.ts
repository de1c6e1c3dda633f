// Writes a backup: a draft is written and synced, read again and compared with the databases, and only then renamed. So a
// file with the name of a backup is whole, whenever the process or the machine stops.
import { hash, randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Place, sqliteFileOf } from '../database/engines/open.ts'
import { syncFile } from '../disk.ts'
import {
  asBackupError,
  BackupError,
  type BackupHeader,
  type BackupManifest,
  type BlockType,
  encodeBlock,
  installedDatabases,
  magic,
  RowBuffer,
  type TableShape,
  type TableSum,
} from './backup-format.ts'
import { openPostgresSnapshot } from './postgres-backup.ts'
import { verifyInSteps } from './read-backup.ts'
import { type BackupProgress, createTableDigest, type Snapshot } from './snapshot.ts'
import { openSqliteSnapshot } from './sqlite-backup.ts'

const blockBytes = 1 << 20

/**
 * Writes the blocks of a backup to a new file of mode 0600, which must not exist. Everything is synchronous, so that the
 * database is never read faster than the disk takes, and memory is bounded by one block and the largest row. Throws the
 * errors of the file system as they are.
 */
function createBackupWriter(path: string) {
  const file = openSync(path, 'wx', 0o600)
  const rows = new RowBuffer()
  let digest: Buffer = Buffer.alloc(0)
  let bytes = 0

  function write(...parts: Buffer[]): void {
    for (const part of parts) {
      for (let at = 0; at < part.length; ) at += writeSync(file, part, at)
      bytes += part.length
    }
  }

  function block(type: BlockType, content: Buffer): void {
    const { head, stored } = encodeBlock(type, content)
    digest = hash('sha256', Buffer.concat([digest, head, stored]), 'buffer')
    write(head, stored, digest)
  }

  const jsonBlock = (type: BlockType, value: unknown): void =>
    block(type, Buffer.from(JSON.stringify(value)))

  write(magic)
  return {
    header: (header: BackupHeader) => jsonBlock('header', header),
    table(database: string, table: string) {
      jsonBlock('table', { database, table })
      const sum = createTableDigest(database, table)
      const flush = (): void => {
        if (rows.rows === 0) return
        sum.add(rows.content(), rows.rows)
        block('rows', rows.content())
        rows.clear()
      }
      return {
        /** Values in the order of the columns. */
        row(values: readonly unknown[]): void {
          rows.add(values)
          if (rows.length >= blockBytes) flush()
        },
        end(): TableSum {
          flush()
          return sum.end()
        },
      }
    },
    key: (content: Buffer) => block('key', content),
    /** The last block. The file is on disk when this returns its size. */
    finish(manifest: BackupManifest): number {
      jsonBlock('manifest', manifest)
      fsyncSync(file)
      return bytes
    },
    close: () => closeSync(file),
  }
}

interface BackupOptions {
  /** Version of the program. */
  program: string
  /** The content of the key file, to include it. */
  key?: Buffer | undefined
  scheduledBy?: string | undefined
  onProgress?: ((progress: BackupProgress) => void) | undefined
  /** Ends it between two batches of rows, or blocks of the file. */
  signal?: AbortSignal | undefined
}

export type BackupSummary = Awaited<ReturnType<typeof createBackup>>

const draftSuffix = '.partial'

/**
 * Writes a backup of the place to `file`, which must not exist. Throws a BackupError, and leaves no file, if a database is damaged,
 * the disk is full, or what was written is not what was read; the same with the signal's reason when it aborts.
 */
export async function createBackup(place: Place, file: string, options: BackupOptions) {
  if (existsSync(file)) {
    throw new BackupError(`${file} already exists: choose another name, or give a folder.`)
  }
  const snapshot = await openSnapshot(place)
  try {
    return await writeAndCheck(snapshot, file, options)
  } finally {
    await snapshot.close()
  }
}

async function writeAndCheck(snapshot: Snapshot, file: string, options: BackupOptions) {
  const { onProgress = () => {} } = options
  findDamage(snapshot)
  const counted = await countAll(snapshot)
  const draft = join(
    dirname(file),
    `${basename(file)}.${randomBytes(6).toString('hex')}${draftSuffix}`,
  )
  try {
    const { bytes, tables } = await writeDraft(snapshot, draft, options, counted)
    const { manifest } = await verifyInSteps(
      draft,
      (done, total) => onProgress({ step: 'checking', done, total }),
      options.signal,
    )
    if (JSON.stringify(manifest.tables) !== JSON.stringify(tables)) {
      throw new BackupError(`${file} was not written as it was read: check the disk.`)
    }
    renameSync(draft, file)
    syncFile(dirname(file))
    return {
      file,
      bytes,
      createdAt: new Date(snapshot.takenAt).toISOString(),
      engine: snapshot.engine,
      /** How long no write could be committed. */
      writesHeldMs: snapshot.writesHeldMs,
      tables,
      hasKey: options.key !== undefined,
    }
  } catch (error) {
    rmSync(draft, { force: true })
    throw asBackupError(error, file, 'written')
  }
}

/** The databases of the place, which must exist. Throws a BackupError that names one that does not. */
async function openSnapshot(place: Place): Promise<Snapshot> {
  if (place.databaseUrl !== undefined)
    return await openPostgresSnapshot(place.databaseUrl, installedDatabases)
  const files = installedDatabases.map((name) => ({
    name,
    file: sqliteFileOf(place.dataDir, name),
  }))
  const missing = files.find(({ file }) => !existsSync(file))
  if (missing) {
    throw new BackupError(
      `${missing.file} does not exist: set DATA_DIR, or DATABASE_URL, as the server has it.`,
    )
  }
  return await openSqliteSnapshot(files)
}

function findDamage(snapshot: Snapshot): void {
  for (const { name } of snapshot.databases) {
    const problem = snapshot.findProblem(name)
    if (problem === undefined) continue
    throw new BackupError(
      `The database ${name} is damaged (${problem}): it is not backed up. Keep the earlier backups.`,
    )
  }
}

type CountedTable = Awaited<ReturnType<typeof countAll>>[number]

async function countAll(snapshot: Snapshot) {
  const counted: { database: string; table: TableShape; rows: number }[] = []
  for (const { name, tables } of snapshot.databases) {
    for (const table of tables) {
      counted.push({ database: name, table, rows: await snapshot.countRows(name, table) })
    }
  }
  return counted
}

async function writeDraft(
  snapshot: Snapshot,
  draft: string,
  { key, onProgress = () => {}, program, scheduledBy, signal }: BackupOptions,
  counted: readonly CountedTable[],
): Promise<{ bytes: number; tables: TableSum[] }> {
  const total = counted.reduce((sum, { rows }) => sum + rows, 0)
  let done = 0
  const writer = createBackupWriter(draft)
  try {
    writer.header({
      program,
      createdAt: new Date(snapshot.takenAt).toISOString(),
      engine: snapshot.engine,
      scheduledBy: scheduledBy ?? null,
      databases: [...snapshot.databases],
    })
    if (key) writer.key(key)
    const tables: TableSum[] = []
    for (const { database, rows, table } of counted) {
      const written = writer.table(database, table.name)
      for await (const batch of snapshot.readRows(database, table)) {
        signal?.throwIfAborted()
        for (const values of batch) written.row(values)
        done += batch.length
        onProgress({ step: 'copying', done, total })
      }
      const sum = written.end()
      if (sum.rows !== rows) {
        throw new BackupError(
          `The table ${database}.${table.name} has ${rows} rows by one index and ${sum.rows} by another: it is damaged.`,
        )
      }
      tables.push(sum)
    }
    return { bytes: writer.finish({ tables }), tables }
  } finally {
    writer.close()
  }
}
