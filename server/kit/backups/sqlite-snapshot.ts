// A consistent view of several SQLite files, while other processes write. For a moment the write locks of all files are
// held together, and a read transaction begins on each. So no commit falls between the views: a record that refers to one
// of another file, which was committed before, is never without it.
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { Value } from '../database/query.ts'
import { beginImmediate, isBusy } from '../database/sqlite-session.ts'
import { asSqliteError, BackupError } from './backup-error.ts'
import { type DatabaseShape, tablesLeftOut } from './backup-format.ts'
import { batchesOf } from './row-batches.ts'
import { type Snapshot, type StoredColumn, tablesOf } from './snapshot.ts'

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
    const held = await beginTogether(files, [...readers.values()])
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
      ...held,
      findProblem: (name) =>
        readFrom(name, (reader) => {
          const found = reader.prepare('pragma integrity_check(1)').get()
          const result = String(found?.integrity_check)
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
