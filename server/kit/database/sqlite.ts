// The Database interface on SQLite: WAL mode, one connection for reads and one for writes. Calls are
// synchronous and short; waiting for another process's write lock does not block the event loop.

import { openSync, readSync, statSync } from 'node:fs'
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

// A number that changes with every commit to a SQLite database by any process. SQLite's own `pragma
// data_version` says the same in three system calls; here it is read in one, from the header of the
// WAL-index (https://sqlite.org/walformat.html, section 2.1), which every commit writes before it returns.
//
// Invariant: the file is never closed. POSIX drops all locks that a process holds on a file when it closes
// any descriptor of it, SQLite's locks among them.

const headerBytes = 48
const knownVersion = 3_007_000
// Offsets in the header, which has the machine's byte order.
const versionAt = 0
const changesAt = 8
const checksumAt = 24

const isLittleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1

/** One file descriptor per file identity, for the lifetime of the process. */
const opened = new Map<string, number>()

/**
 * Returns the counter. `reader` is an open connection to the database at `path` in WAL mode. It is used if
 * the WAL-index cannot be read or has an unknown format.
 */
export function createChangeCounter(path: string, reader: DatabaseSync): () => number {
  const dataVersion = reader.prepare('pragma data_version')
  dataVersion.setReturnArrays(true)
  const ask = (): number => {
    // Inside of a read transaction it does not change.
    if (reader.isTransaction) reader.exec('commit')
    return (dataVersion.get() as unknown as number[])[0] as number
  }
  // The WAL-index exists after the first read.
  reader.prepare('select count(*) from sqlite_schema').get()
  const file = openWalIndex(`${path}-shm`)
  if (file === undefined) return ask
  const bytes = Buffer.alloc(headerBytes)
  const header = new DataView(bytes.buffer, bytes.byteOffset, headerBytes)
  const read = (): boolean => readSync(file, bytes, 0, headerBytes, 0) === headerBytes
  if (!read() || header.getUint32(versionAt, isLittleEndian) !== knownVersion) return ask
  return () => {
    if (!read()) return ask()
    // The count restarts after a crash; the checksum of the last frame distinguishes such counts.
    const changes = header.getUint32(changesAt, isLittleEndian)
    const checksum = header.getUint32(checksumAt, isLittleEndian)
    return changes * 2 ** 21 + (checksum & 0x1f_ffff)
  }
}

function openWalIndex(path: string): number | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    const identity = `${dev}:${ino}`
    const known = opened.get(identity)
    if (known !== undefined) return known
    const file = openSync(path, 'r')
    opened.set(identity, file)
    return file
  } catch {
    return undefined
  }
}

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
  const readCounter = createChangeCounter(path, reader)
  const changeCounter = options.batches?.oncePerBatch(readCounter) ?? readCounter
  const reads = createSharedReads(reader, changeCounter)

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
    reads.end()
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
    read: createSession(reader, reads.begin),
    write: (work, input) => commits.write(work, input),
    execute: (query, params) => commits.write(executeOne, { query, params }) as never,
    changeCounter,
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

// Reads of one turn of the event loop share a read transaction while nothing is committed, because SQLite's locks take
// three times as long as reading a row by its key. Reads see every commit that was acknowledged before.

export type SharedReads = ReturnType<typeof createSharedReads>

/** `changeCounter` changes with every commit by any process. */
export function createSharedReads(reader: DatabaseSync, changeCounter: () => number) {
  /** Before the transaction began. */
  let counter = 0
  let isFirst = true

  function end(): void {
    isFirst = true
    if (reader.isOpen && reader.isTransaction) reader.exec('commit')
  }

  return {
    /** Call it before each read. A single read needs no transaction. */
    begin(): void {
      if (isFirst) {
        isFirst = false
        setImmediate(end)
        return
      }
      const current = changeCounter()
      if (reader.isTransaction) {
        if (current === counter) return
        reader.exec('commit')
      }
      reader.exec('begin')
      counter = current
    },
    /** Call it before each write: the log can be reset only while nobody reads from it. */
    end,
  }
}
