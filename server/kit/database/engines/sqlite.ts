// The Database interface on SQLite: WAL mode, one connection for reads and one for writes. Calls are
// synchronous and short; waiting for another process's write lock does not block the event loop.
//
// Staging is a separate file next to the database, attached to a separate connection, so that inserts do not lock the
// database. The file stays locked during the import, by which a later start tells it from one that a crash has left.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, systemClock } from '../../clock.ts'
import { AppError, outcomeUnknown, unavailable } from '../../errors.ts'
import type { RequestBatches } from '../../http/request-batches.ts'
import {
  type Database,
  each,
  type Session,
  type StagedColumns,
  type Staging,
  type WriteSession,
} from '../database.ts'
import type { Query, Statement, Value } from '../query.ts'
import { type CommitGate, GroupCommit, type Transaction } from './group-commit.ts'

interface SqliteOptions {
  /** `full`: commits are on disk. `off`: for counters that may be lost in a power failure. */
  durability: 'full' | 'off'
  /** The longest wait of a write, in milliseconds. */
  timeoutMs: number
  clock?: Clock | undefined
  batches?: RequestBatches | undefined
}

/** Opens or creates the database file. */
export function openSqlite(path: string, options: SqliteOptions): Database {
  const writer = new DatabaseSync(path, { timeout: 0 })
  // Setting the mode briefly needs a lock that another process may hold.
  writer.exec('pragma busy_timeout = 2000; pragma journal_mode = wal; pragma busy_timeout = 0')
  writer.exec(
    `pragma synchronous = ${options.durability}; pragma foreign_keys = on; pragma cache_size = -16384`,
  )
  const reader = new DatabaseSync(path, { readOnly: true, timeout: 1000 })
  reader.exec('pragma cache_size = -65536')

  const session = createWriteSession(writer, () => commits.announce())
  const transaction: Transaction = {
    ...session,
    async nested(part) {
      writer.exec('savepoint part')
      try {
        const value = await part()
        writer.exec('release part')
        return value
      } catch (error) {
        writer.exec('rollback to part; release part')
        throw error
      }
    },
  }

  const commits = new GroupCommit(options.timeoutMs, async (gate, body) => {
    try {
      await beginImmediate(writer, options.timeoutMs, gate)
      const value = await body(transaction)
      commitTransaction(writer, gate)
      return value
    } catch (error) {
      if (writer.isTransaction) writer.exec('rollback')
      throw asUnavailable(error)
    }
  })

  return {
    engine: 'sqlite',
    clock: options.clock ?? systemClock,
    read: createSession(reader),
    write: (work, input) => commits.write(work, input),
    execute: (query, params) => commits.write(executeOne, { query, params }) as never,
    changeCounter: createChangeCounter(reader, options.batches),
    openStaging: async (columns) => openSqliteStaging(path, columns),
    onAnnouncement: (listener) => commits.onAnnouncement(listener),
    async close() {
      await commits.idle()
      reader.close()
      writer.close()
    },
  }
}

const executeOne = each(
  async (session, { params, query }: { query: Query<unknown, unknown>; params: unknown }) =>
    await session.all(query, params),
)

/**
 * Gives a number that changes with every commit of another connection, by any process (pragma data_version). It is read once
 * for the requests of a batch.
 */
export function createChangeCounter(
  reader: DatabaseSync,
  batches?: Pick<RequestBatches, 'current'>,
): () => number {
  const dataVersion = reader.prepare('pragma data_version')
  dataVersion.setReturnArrays(true)
  let readIn: number | undefined
  let version = 0
  return () => {
    const batch = batches?.current
    if (batch !== undefined && batch === readIn) return version
    try {
      version = (dataVersion.get() as unknown as [number])[0]
      readIn = batch
      return version
    } catch (error) {
      throw asUnavailable(error)
    }
  }
}

// SQLite's primary result codes (https://sqlite.org/rescode.html) of transient errors.
const busy = 5
const ioError = 10
const transientCodes = new Set([
  busy,
  6 /* locked */,
  8 /* readonly */,
  ioError,
  13 /* full */,
  14 /* cantopen */,
])

/**
 * Takes the write lock; retries with a timer while another process holds it. Throws `unavailable` once the gate has
 * stopped the transaction.
 */
export async function beginImmediate(
  connection: DatabaseSync,
  withinMs: number,
  gate?: CommitGate,
): Promise<void> {
  const deadline = performance.now() + withinMs
  for (;;) {
    gate?.check()
    try {
      return connection.exec('begin immediate')
    } catch (error) {
      if (resultCode(error) !== busy || performance.now() > deadline) throw error
    }
    await delay(1)
  }
}

/**
 * Commits. An error of the disk is `outcome_unknown`: the log may have the whole transaction without its confirmation,
 * and a restart would find it. After any other error nothing was changed.
 */
export function commitTransaction(connection: DatabaseSync, gate?: CommitGate): void {
  gate?.enter()
  try {
    connection.exec('commit')
  } catch (error) {
    throw resultCode(error) === ioError ? outcomeUnknown(error) : error
  }
}

export function createSession(connection: DatabaseSync): Session {
  const runnerOf = (returnsArrays: boolean) => {
    const prepared = new Map<Statement, StatementSync>()
    return <P, Row>(query: Query<P, Row>, params: P) => {
      const statement = query.on('sqlite')
      try {
        let ready = prepared.get(statement)
        if (!ready) {
          ready = connection.prepare(statement.sql)
          ready.setReadBigInts(true)
          if (returnsArrays) ready.setReturnArrays(true)
          prepared.set(statement, ready)
        }
        // The drivers type rows loosely; the query's own type says what its statement selects.
        return ready.all(...statement.bind(params as Record<string, Value>)) as never
      } catch (error) {
        throw asUnavailable(error)
      }
    }
  }
  return { all: runnerOf(false), tuples: runnerOf(true) }
}

/** Statements have run when `run` returns, and their errors are thrown by it. */
export function createWriteSession(connection: DatabaseSync, announce: () => void): WriteSession {
  const session = createSession(connection)
  return { ...session, run: (query, params) => void session.tuples(query, params), announce }
}

/** Another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === busy
}

function resultCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown }).errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

export function asUnavailable(error: unknown): unknown {
  if (error instanceof AppError) return error
  return transientCodes.has(resultCode(error) ?? -1) ? unavailable(error) : error
}

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
