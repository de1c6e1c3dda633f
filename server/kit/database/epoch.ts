// Versions only ascend, whatever a database goes through. Each write adds one. An epoch starts where they could repeat,
// after a restore or the loss of commits: it is the time, in units that no number of writes reaches.

import { sql } from 'kysely'
import type { Database } from './database.ts'
import { queriesFor } from './query.ts'
import { readDatabaseClock } from './read-clock.ts'
import { unlocked } from './transactions.ts'

/** More versions than are written in a millisecond: the time of an epoch is above all versions of earlier ones. */
const versionsPerMs = 1n << 20n

/** `epochsOf(table, columns)` gives a function that starts an epoch of the versions in the table's only row. */
export function epochsOf(table: string, columns: readonly string[]) {
  const assignments = (first: unknown) =>
    columns.map((column) => {
      const version = sql.ref(column)
      return sql`${version} = case when ${version} < ${first} then ${first} else ${version} + 1 end`
    })
  const start = queriesFor<Record<never, never>>()<{ first: bigint }>()(
    (_db, param) =>
      sql<unknown>`update ${sql.table(table)} set ${sql.join(
        assignments(sql`cast(${param('first')} as bigint)`),
      )}`,
  )
  const startTransaction = unlocked(async (session, first: bigint) => {
    await session.all(start, { first })
  })
  return async (database: Database): Promise<void> => {
    const now = Math.floor(await readDatabaseClock(database))
    await startTransaction(database, BigInt(now) * versionsPerMs)
  }
}
