// The Database interface on SQLite: WAL mode, one connection for reads and one for writes. Calls are
// synchronous and short; waiting for another process's write lock does not block the event loop.

import { DatabaseSync } from 'node:sqlite'
import { type Clock, systemClock } from '../clock.ts'
import type { RequestBatches } from '../request-batches.ts'
import { type Database, each } from './database.ts'
import { GroupCommit, type Transaction } from './group-commit.ts'
import type { Query } from './query.ts'
import {
  asUnavailable,
  beginImmediate,
  commitTransaction,
  createSession,
  createWriteSession,
} from './sqlite-session.ts'
import { openSqliteStaging } from './sqlite-staging.ts'

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
  const readCounter = createChangeCounter(reader)

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
    changeCounter: options.batches?.oncePerBatch(readCounter) ?? readCounter,
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

/** Gives a number that changes with every commit of another connection, by any process (pragma data_version). */
export function createChangeCounter(reader: DatabaseSync): () => number {
  const dataVersion = reader.prepare('pragma data_version')
  dataVersion.setReturnArrays(true)
  return () => {
    try {
      return (dataVersion.get() as unknown as [number])[0]
    } catch (error) {
      throw asUnavailable(error)
    }
  }
}
