// Deletes old rows in short transactions, so that no other write waits long, and a bounded number of them for each call, so
// that a backlog does not delay other upkeep. The next call continues.
import { sql } from 'kysely'
import { type Database, each, findOne, type WriteSession } from '../database/database.ts'
import { engineOf, queriesFor } from '../database/query.ts'

const maxRowsPerBatch = 500
const maxBatchesPerCall = 100

interface OldRows<Tables, Table extends keyof Tables> {
  table: Table
  /** The primary key. */
  key: readonly (keyof Tables[Table] & string)[]
  /** The column with the time of writing or of expiry: milliseconds since the epoch. */
  time: keyof Tables[Table] & string
  /** How long rows are kept after that; 0 by default. */
  keptMs?: number
  /** Taken first by each transaction, where writes of other processes could wait for these rows. */
  lock?: (session: WriteSession) => unknown
}

/** What a room does regularly, such as deleting what is old. Its list of them is the one place that names it. */
export type Upkeep = (database: Database, now: number) => Promise<unknown>

/**
 * `oldRowsOf<Tables>()({ table: … })` gives what deletes the old rows of a table: those written, or expired, more than
 * `keptMs` before now.
 */
export function oldRowsOf<Tables>() {
  return <Table extends keyof Tables & string>(rows: OldRows<Tables, Table>): Upkeep => {
    const { key, keptMs = 0, lock, table, time } = rows
    const columns = sql.join(key.map((column) => sql.ref(column)))
    const prepareQuery = queriesFor<Tables>()
    const isOld = (before: number | bigint) => sql`${sql.ref(time)} < ${before}`
    const find = prepareQuery<{ before: number }>()(
      (_db, param) => sql`select 1 as found from ${sql.table(table)}
          where ${isOld(param('before'))} limit 1`,
    )
    const deleteSome = prepareQuery<{ before: number; max: number }>()(
      (db, param) => sql`delete from ${sql.table(table)} where (${columns}) in (select ${columns}
          from ${sql.table(table)} where ${isOld(param('before'))} limit ${param('max')}
          ${withoutWaiting(db)})`,
    )
    const deleteTransaction = each(async (session, before: number): Promise<void> => {
      await lock?.(session)
      await session.all(deleteSome, { before, max: maxRowsPerBatch })
    })

    return async (database, now) => {
      const before = now - keptMs
      await deleteInBatches(async () => {
        // Mostly there is nothing, and nothing to write.
        if (!(await findOne(database.read, find, { before }))) return false
        await database.write(deleteTransaction, before)
        return true
      })
    }
  }
}

/** Leaves out rows that another transaction holds: it would have to wait for them, in no order. */
const withoutWaiting = (db: object) =>
  engineOf(db) === 'postgres' ? sql`for update skip locked` : sql``

/**
 * Calls `deleteBatch` until it finds nothing to delete, `maxBatches` times at most. True when something may
 * be left.
 */
export async function deleteInBatches(
  deleteBatch: () => Promise<boolean>,
  maxBatches = maxBatchesPerCall,
): Promise<boolean> {
  for (let batches = 0; batches < maxBatches; batches++) {
    if (!(await deleteBatch())) return false
  }
  return true
}
