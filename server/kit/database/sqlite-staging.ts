// Staging on SQLite: a separate file next to the database, attached to a separate connection, so that inserts do not lock
// the database. The file stays locked during the import, by which a later start tells it from one that a crash has left.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { StagedColumns, Staging } from './database.ts'
import {
  asUnavailable,
  beginImmediate,
  commitTransaction,
  createWriteSession,
} from './sqlite-session.ts'

const waitForLockMs = 60_000
/** A newer empty file may not be locked yet. */
const youngMs = 60_000
let opened = 0

/** Opens staging for the database file at `path`. */
export function openSqliteStaging(path: string, columns: StagedColumns): Staging {
  const file = `${path}.staging-${process.pid}-${++opened}`
  rmSync(file, { force: true })
  const connection = new DatabaseSync(path, { timeout: 0 })
  connection.exec('pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -32768')
  connection.prepare('attach ? as staging').run(file)
  // The file is deleted after a crash, so it needs no durability. (Node does not allow `off`.)
  connection.exec(`pragma staging.journal_mode = memory; pragma staging.synchronous = off;
    pragma staging.locking_mode = exclusive; pragma staging.cache_size = -4096`)
  const names = Object.keys(columns)
  const types = names.map((name) => `${name} ${columns[name] === 'int64' ? 'integer' : 'text'}`)
  connection.exec(
    `create table staging.staged (position integer primary key, ${types.join(', ')}) strict`,
  )
  const insert = connection.prepare(
    `insert into staging.staged (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
  )
  const session = createWriteSession(connection, () => {})

  return {
    add(rows) {
      try {
        connection.exec('begin')
        for (const row of rows) insert.run(...row)
        connection.exec('commit')
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    read: session,
    async transaction(body) {
      try {
        await beginImmediate(connection, waitForLockMs)
        const value = await body(session)
        commitTransaction(connection)
        return value
      } catch (error) {
        if (connection.isTransaction) connection.exec('rollback')
        throw asUnavailable(error)
      }
    },
    async close() {
      connection.close()
      rmSync(file, { force: true })
    },
  }
}

/** Deletes staging files of the database at `path` that were left by a crash. */
export function removeLeftStagings(path: string): void {
  const folder = dirname(path)
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(path)}.staging-`)) continue
    const file = join(folder, name)
    if (!isInUse(file)) rmSync(file, { force: true })
  }
}

function isInUse(file: string): boolean {
  try {
    const { mtimeMs, size } = statSync(file)
    if (size === 0) return Date.now() - mtimeMs < youngMs
    const connection = new DatabaseSync(file, { timeout: 0 })
    try {
      connection.exec('begin exclusive; rollback')
      return false
    } finally {
      connection.close()
    }
  } catch (error) {
    // Still locked, so in use. With any other error (deleted, not a database) it is unused.
    return (asUnavailable(error) as { code?: unknown }).code === 'unavailable'
  }
}
