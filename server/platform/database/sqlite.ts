// SQLite behind the Database interface: WAL, one connection that reads and one that writes.
// All calls are synchronous and short; waiting for another process's write lock never blocks the event loop.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '../errors.ts'
import type { Database, Session } from './database.ts'
import { answerWithinMs, GroupCommit, type Transaction } from './group-commit.ts'
import type { Query, Statement, Value } from './query.ts'

// SQLite's primary result codes (https://sqlite.org/rescode.html) that mean: not now, not: never.
const busy = 5
const transientCodes = new Set([
  busy,
  6 /* locked */,
  8 /* readonly */,
  10 /* ioerr */,
  13 /* full */,
  14 /* cantopen */,
])

export interface SqliteOptions {
  /** `full`: a commit has reached the disk. `off`: for counters that a power failure may lose. */
  durability: 'full' | 'off'
}

/** Opens or creates the database file. */
export function openSqlite(path: string, options: SqliteOptions): Database {
  const writer = new DatabaseSync(path, { timeout: 0 })
  // Setting the mode needs a lock for a moment; another process may be doing the same.
  writer.exec('pragma busy_timeout = 2000; pragma journal_mode = wal; pragma busy_timeout = 0')
  writer.exec(
    `pragma synchronous = ${options.durability}; pragma foreign_keys = on; pragma cache_size = -16384`,
  )
  const reader = new DatabaseSync(path, { readOnly: true, timeout: 1000 })
  reader.exec('pragma cache_size = -65536; pragma mmap_size = 268435456')
  const dataVersion = reader.prepare('pragma data_version')
  dataVersion.setReturnArrays(true)

  const transaction = createSession(writer) as Transaction
  transaction.nested = async (part) => {
    writer.exec('savepoint part')
    try {
      const value = await part()
      writer.exec('release part')
      return value
    } catch (error) {
      writer.exec('rollback to part; release part')
      throw error
    }
  }

  async function begin(): Promise<void> {
    const deadline = performance.now() + answerWithinMs - 300
    for (;;) {
      try {
        return writer.exec('begin immediate')
      } catch (error) {
        if (resultCode(error) !== busy || performance.now() > deadline) throw error
      }
      await delay(1)
    }
  }

  const commits = new GroupCommit(async (body) => {
    try {
      await begin()
      const value = await body(transaction)
      writer.exec('commit')
      return value
    } catch (error) {
      if (writer.isTransaction) writer.exec('rollback')
      throw asUnavailable(error)
    }
  })

  return {
    engine: 'sqlite',
    read: createSession(reader),
    write: (work, input) => commits.write(work, input),
    changeCounter: () => (dataVersion.get() as unknown as number[])[0],
    async close() {
      await commits.idle()
      reader.close()
      writer.close()
    },
  }
}

function createSession(connection: DatabaseSync): Session {
  const objects = new Map<Statement, StatementSync>()
  const arrays = new Map<Statement, StatementSync>()
  const run = (
    prepared: Map<Statement, StatementSync>,
    query: Query<unknown, unknown>,
    params: unknown,
  ) => {
    const statement = query.on('sqlite')
    try {
      let ready = prepared.get(statement)
      if (!ready) {
        ready = connection.prepare(statement.sql)
        ready.setReadBigInts(true)
        if (prepared === arrays) ready.setReturnArrays(true)
        prepared.set(statement, ready)
      }
      return ready.all(...statement.bind(params as Record<string, Value>))
    } catch (error) {
      throw asUnavailable(error)
    }
  }
  return {
    all: (query, params) => run(objects, query, params) as never,
    tuples: (query, params) => run(arrays, query, params) as never,
  }
}

function resultCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown }).errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

function asUnavailable(error: unknown): unknown {
  return transientCodes.has(resultCode(error) ?? -1) ? unavailable(error) : error
}
