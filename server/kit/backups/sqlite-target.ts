// Restores SQLite databases: they are built in the folder `restoring` of the data folder, synced, and moved. As long as
// that folder exists, the program does not start there (database/open.ts).
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createFolder } from '../create-folder.ts'
import { migrateDatabase, restoringFolderIn, sqliteFileOf } from '../database/open.ts'
import { asBackupError, asSqliteError, BackupError } from './backup-error.ts'
import type { TableShape } from './backup-format.ts'
import type { RestoreTarget } from './restore-target.ts'
import { openSqliteSnapshot } from './sqlite-snapshot.ts'
import { syncFile } from './sync-file.ts'

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
