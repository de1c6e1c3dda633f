// Allowances, exact over all processes: one shared counter for each name (the generic cell rate algorithm), changed by one
// statement, which locks one row and is a transaction of its own, so that processes never deadlock. The time is the
// database's: a node whose clock is wrong takes nothing from others. Counters are in a database of their own, which may
// lose them in a power failure.
import { type RawBuilder, sql } from 'kysely'
import type { RateLimit } from '../config/parse-variable.ts'
import type { Database } from '../database/database.ts'
import { engineOf, queriesFor } from '../database/query.ts'
import { readDatabaseClock } from '../database/read-clock.ts'
import { rateLimited } from '../errors.ts'
import { oldRowsOf } from '../jobs/delete-old-rows.ts'
import type { AllowanceTables } from './allowance-migrations.ts'

const prepareQuery = queriesFor<AllowanceTables>()

/** A counter that is later by more than this dates from before the clock was set back. */
const maxClockSkewUs = 60e6

/** Counters are kept for this long after they are whole: a deletion needs no exact time. */
const keptUs = 60e6

interface Change {
  key: string
  /** What one costs, and the window, in microseconds. */
  cost: number
  width: number
  /** 0 or 1 each. */
  given_back: number
  wanted: number
  now: number | null
}

/** Gives back, then takes what is wanted if it is left. A counter that does not exist is whole. */
const changeCounter = prepareQuery<Change>()((db, param) => {
  const number = (name: Exclude<keyof Change, 'key'>): RawBuilder<unknown> =>
    sql`cast(${param(name)} as bigint)`
  // The start of the statement: the same moment wherever it is used.
  const serverClock =
    engineOf(db) === 'postgres'
      ? sql`cast(extract(epoch from statement_timestamp()) * 1000000 as bigint)`
      : sql`null`
  const now = sql`coalesce(${number('now')}, ${serverClock})`
  const end = sql`(${now} + ${number('width')})`
  const before = sql`(counter.whole_at - ${number('cost')} * ${number('given_back')})`
  const start = sql`case when ${before} between ${now} and ${end} + ${sql.lit(maxClockSkewUs)}
    then ${before} else ${now} end`
  const taken = sql`case when ${start} + ${number('cost')} <= ${end} then ${number('wanted')} else 0 end`
  // Any database of the installation may send it: the name says the schema.
  const table = sql.table(engineOf(db) === 'postgres' ? 'limits.rate_limits' : 'rate_limits')
  return sql<{ whole_at: bigint; taken: bigint; now: bigint }>`
        insert into ${table} as counter (key_id, taken, whole_at)
        values (${param('key')}, ${number('wanted')}, ${now} + ${number('cost')} * ${number('wanted')})
        on conflict (key_id) do update
          set taken = ${taken}, whole_at = ${start} + ${number('cost')} * ${taken}
        returning whole_at, taken, ${now} as now`
})

async function change(
  database: Database,
  key: string,
  { requests, windowSeconds }: RateLimit,
  by: Pick<Change, 'given_back' | 'wanted'>,
) {
  const width = windowSeconds * 1e6
  // Rounded down: all of the limit fits into its window, also where it does not divide it evenly.
  const cost = Math.max(1, Math.floor(width / requests))
  const now = database.clock ? Math.round(database.clock() * 1000) : null
  const [row] = await database.execute(changeCounter, { key, cost, width, now, ...by })
  if (!row) throw new Error('a counter was not returned')
  return {
    cost,
    width,
    isSpent: Number(row.taken) === 1,
    /** From the statement on. */
    wholeInUs: Number(row.whole_at) - Number(row.now),
  }
}

/** Takes one from the allowance that `key` has under `limit`, if there is one left. */
export async function spendAllowance(database: Database, key: string, limit: RateLimit) {
  const changed = await change(database, key, limit, { given_back: 0, wanted: 1 })
  const { cost, isSpent, wholeInUs, width } = changed
  return {
    /** False when nothing was left, and nothing was taken. */
    isSpent,
    /** How many are left. */
    left: isSpent ? Math.max(0, Math.floor((width - wholeInUs) / cost)) : 0,
    /** Seconds until the allowance is whole again. */
    wholeInSeconds: Math.max(0, Math.ceil(wholeInUs / 1e6)),
    /** Seconds until there is one again; 0 when there still is. */
    retryInSeconds: isSpent ? 0 : Math.max(1, Math.ceil((wholeInUs + cost - width) / 1e6)),
  }
}

/** Takes one. Throws `rate_limited` with this message when none is left. */
export async function requireAllowance(
  database: Database,
  key: string,
  limit: RateLimit,
  message: string,
): Promise<void> {
  const { isSpent, retryInSeconds } = await spendAllowance(database, key, limit)
  if (!isSpent) throw rateLimited(message, retryInSeconds)
}

/** Gives one back. */
export async function refundAllowance(
  database: Database,
  key: string,
  limit: RateLimit,
): Promise<void> {
  await change(database, key, limit, { given_back: 1, wanted: 0 })
}

const deleteWholeCounters = oldRowsOf<AllowanceTables>()({
  table: 'rate_limits',
  key: ['key_id'],
  time: 'whole_at',
  keptMs: keptUs, // the column is in microseconds
})

/** Deletes the counters of allowances that have been whole for a while. */
export async function deleteWholeAllowances(database: Database): Promise<void> {
  await deleteWholeCounters(database, Math.round((await readDatabaseClock(database)) * 1000))
}
