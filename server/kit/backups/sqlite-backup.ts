// Backups of SQLite files, while other processes write. For a consistent view, the write locks of all files are held
// together for a moment, and a read transaction begins on each. So no commit falls between the views: a record that refers
// to one of another file, which was committed before, is never without it. A restore builds the files in the folder
// `restoring` of the data folder, syncs and moves them. As long as that folder exists, the program does not start there.

import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { migrateDatabase, restoringFolderIn, sqliteFileOf } from '../database/engines/open.ts'
import { beginImmediate, isBusy } from '../database/engines/sqlite.ts'
import type { Value } from '../database/query.ts'
import { createFolder, syncFile } from '../disk.ts'
import {
  asBackupError,
  asSqliteError,
  BackupError,
  type DatabaseShape,
  type TableShape,
  tablesLeftOut,
} from './backup-format.ts'
import {
  batchesOf,
  type RestoreTarget,
  type Snapshot,
  type StoredColumn,
  tablesOf,
} from './snapshot.ts'

/** Writes wait for a lock at least 200 ms (DATABASE_TIMEOUT_MS): none fails because of a backup. */
const maxHeldMs = 150
/** An import may hold a lock this long. */
const maxWaitMs = 120_000

interface NamedFile {
  name: string
  file: string
}

export async function openSqliteSnapshot(files: readonly NamedFile[]): Promise<Snapshot> {
  const readers = new Map<string, DatabaseSync>()
  const close = (): void => {
    for (const reader of readers.values()) reader.close()
  }
  try {
    for (const { name, file } of files) {
      const reader = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
      readers.set(name, reader)
      reader.exec('pragma cache_size = -16384')
    }
    const locks = await beginTogether(files, [...readers.values()])
    /** Reads from one file, with errors that name it. */
    const readFrom = <T>(name: string, read: (reader: DatabaseSync) => T): T => {
      try {
        return read(readers.get(name) as DatabaseSync)
      } catch (error) {
        const { file = name } = files.find((each) => each.name === name) ?? {}
        throw asSqliteError(error, file, 'read')
      }
    }
    return {
      engine: 'sqlite',
      databases: files.map(({ name, file }) =>
        readFrom(name, (reader) => shapeOf(name, file, reader)),
      ),
      ...locks,
      findProblem: (name) =>
        readFrom(name, (reader) => {
          const integrity = reader.prepare('pragma integrity_check(1)').get()
          const result = String(integrity?.integrity_check)
          return result === 'ok' ? undefined : result
        }),
      countRows: async (name, { name: table }) =>
        readFrom(name, (reader) =>
          Number(reader.prepare(`select count(*) as count from ${table}`).get()?.count),
        ),
      async *readRows(name, { columns, key, name: table }) {
        const selected = columns.map((column) => column.name).join(', ')
        const rows = readFrom(name, (reader) => {
          const statement = reader.prepare(
            `select ${selected} from ${table} order by ${key.join(', ')}`,
          )
          statement.setReadBigInts(true)
          statement.setReturnArrays(true)
          // With setReturnArrays the rows are arrays, in the order of the columns.
          return batchesOf(statement.iterate() as Iterable<unknown> as Iterable<Value[]>)
        })
        try {
          for (;;) {
            const { done, value } = readFrom(name, () => rows.next())
            if (done) return
            yield value
            // Otherwise nothing else, such as a signal, would be handled before the last row.
            await setImmediate()
          }
        } finally {
          rows.return(undefined)
        }
      },
      async close() {
        close()
      },
    }
  } catch (error) {
    close()
    throw error
  }
}

/** Begins the read transactions of all files while no write of any can be committed. */
async function beginTogether(
  files: readonly NamedFile[],
  readers: readonly DatabaseSync[],
): Promise<{ takenAt: number; writesHeldMs: number }> {
  const deadline = performance.now() + maxWaitMs
  let locks = files.map(({ name, file }) => ({
    name,
    file,
    connection: new DatabaseSync(file, { timeout: 0 }),
  }))
  try {
    for (;;) {
      let since: number | undefined
      let wanted = locks[0]
      try {
        for (wanted of locks) {
          const leftMs =
            since === undefined
              ? deadline - performance.now()
              : maxHeldMs - (performance.now() - since)
          await beginImmediate(wanted.connection, leftMs)
          since ??= performance.now()
        }
        for (const reader of readers) {
          reader.exec('begin')
          reader.prepare('select count(*) from sqlite_schema').get()
        }
        return { takenAt: Date.now(), writesHeldMs: performance.now() - (since ?? 0) }
      } catch (error) {
        if (!isBusy(error)) throw error
        if (performance.now() > deadline) {
          throw new BackupError(
            `${wanted?.file} was locked for ${maxWaitMs / 1000} seconds: retry when no import is running.`,
          )
        }
        // The others are released meanwhile, and this one is waited for first.
        locks = [...locks].sort((a, b) => Number(b === wanted) - Number(a === wanted))
      } finally {
        for (const { connection } of locks) {
          if (connection.isTransaction) connection.exec('rollback')
        }
      }
    }
  } finally {
    for (const { connection } of locks) connection.close()
  }
}

function shapeOf(name: string, file: string, reader: DatabaseSync): DatabaseShape {
  const columns = reader
    .prepare(
      `select t.name as "table", c.name as "column", c.type, c.pk
       from sqlite_schema t, pragma_table_info(t.name) c
       where t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'
         and t.name not in ${tablesLeftOut}
       order by t.name, c.cid`,
    )
    .all() as unknown as StoredColumn[]
  const last = reader.prepare('select max(id) as version from migrations').get()
  return { name, version: Number(last?.version), tables: tablesOf(columns, file) }
}

export function openSqliteTarget(dataDir: string, names: readonly string[]): RestoreTarget {
  const folder = restoringFolderIn(dataDir)
  createRestoringFolder(dataDir, folder)
  const files = names.map((name) => ({ name, file: sqliteFileOf(folder, name) }))
  const open = new Map<string, DatabaseSync>()
  const connection = (name: string): DatabaseSync => open.get(name) as DatabaseSync
  let isMoving = false

  return {
    create: (name, migrations) => migrateDatabase({ dataDir: folder }, name, migrations),
    async begin(databases) {
      for (const { file, name } of files) {
        const database = new DatabaseSync(file)
        open.set(name, database)
        // Nothing depends on these files before they are synced and moved. Without a write-ahead log, which the program
        // turns on, each is one file.
        database.exec(`pragma foreign_keys = off; pragma synchronous = off;
          pragma journal_mode = memory; pragma cache_size = -65536; begin immediate`)
        const { tables = [] } = databases.find((shape) => shape.name === name) ?? {}
        for (const table of tables) database.exec(`delete from ${table.name}`)
      }
    },
    async insert(name, table, rows) {
      const insert = connection(name).prepare(insertInto(table))
      try {
        for (const row of rows) insert.run(...row)
      } catch (error) {
        throw asSqliteError(error, `${folder}/${name}.db`, 'written')
      }
    },
    async finish() {
      for (const { name } of files) {
        const database = connection(name)
        const [violation] = database.prepare('pragma foreign_key_check').all()
        if (violation) {
          throw new BackupError(
            `In the backup, a row of ${name}.${violation.table} refers to a missing row of ${violation.parent}.`,
          )
        }
        try {
          database.exec('commit')
        } catch (error) {
          throw asSqliteError(error, `${folder}/${name}.db`, 'written')
        }
      }
    },
    openSnapshot: () => openSqliteSnapshot(files),
    async startEpoch() {},
    async publish() {
      closeAll()
      const left = readdirSync(folder).filter((file) => !file.endsWith('.db'))
      if (left.length > 0)
        throw new BackupError(`${folder} has unexpected files: ${left.join(', ')}.`)
      for (const { file } of files) syncFile(file)
      isMoving = true
      for (const { file, name } of files) renameSync(file, sqliteFileOf(dataDir, name))
      syncFile(dataDir)
      rmSync(folder, { recursive: true })
      syncFile(dataDir)
    },
    async close() {
      closeAll()
      // While files are being moved, the folder marks the place as incomplete.
      if (!isMoving) rmSync(folder, { recursive: true, force: true })
    },
  }

  function closeAll(): void {
    for (const database of open.values()) database.close()
    open.clear()
  }
}

const insertInto = ({ columns, name }: TableShape): string =>
  `insert into ${name} (${columns.map((column) => column.name).join(', ')})
   values (${columns.map(() => '?').join(', ')})`

function createRestoringFolder(dataDir: string, folder: string): void {
  try {
    createFolder(dataDir)
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new BackupError(
        `${folder} exists: another restore is running, or an earlier one was interrupted. In that case delete it.`,
      )
    }
    throw asBackupError(error, folder, 'created')
  }
}
