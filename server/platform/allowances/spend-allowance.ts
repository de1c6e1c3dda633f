// Allowances, exact over all processes: one shared counter for each name (the generic cell rate algorithm). They are in
// a database of their own, which a power failure may lose. All changes that arrive together are one statement, which is a
// transaction. It locks its counters in the order of their names, so that processes never wait for each other in a
// circle, and tells the time by the database's clock, so that a node whose clock is wrong takes nothing from others.
import { type RawBuilder, sql } from 'kysely'
import type { RateLimit } from '../config/parse-variable.ts'
import type { Database } from '../database/database.ts'
import { jsonRows } from '../database/json-rows.ts'
import { engineOf, queriesFor } from '../database/query.ts'
import { readDatabaseClock } from '../database/read-clock.ts'
import { shareRuns } from '../database/share-runs.ts'
import { oldRowsOf } from '../jobs/delete-old-rows.ts'

interface AllowanceTables {
  /** Times are in microseconds, so that a limit of thousands per second still has whole numbers. */
  rate_limits: {
    key_id: string
    /** The moment at which the allowance is whole again. */
    whole_at: bigint
    /** The last change: what one cost, the window, how many were given back and then taken. */
    cost: bigint
    width: bigint
    given_back: bigint
    taken: bigint
  }
}

const prepareQuery = queriesFor<AllowanceTables>()

/** A counter that is later by more than this dates from before the clock was set back. */
const maxClockSkewUs = 60e6

/** Counters are kept for this long after they are whole: a deletion needs no exact time. */
const keptUs = 60e6

/** What is asked of one counter. */
interface Change {
  key_id: string
  cost: number
  width: number
  given_back: number
  wanted: number
}

const least = (a: RawBuilder<unknown>, b: RawBuilder<unknown>) =>
  sql`case when ${a} < ${b} then ${a} else ${b} end`

/** Gives back, then takes as many as are wanted and left. A counter that does not exist is whole. */
const changeCounters = prepareQuery<{ changes: string; now: number | null }>()((db, param) => {
  // The start of the statement: the same moment wherever it is used.
  const serverClock =
    engineOf(db) === 'postgres'
      ? sql`cast(extract(epoch from statement_timestamp()) * 1000000 as bigint)`
      : sql`null`
  const clock = sql`coalesce(cast(${param('now')} as bigint), ${serverClock})`
  const changes = jsonRows(db, param('changes'), 'changes', {
    key_id: 'text',
    cost: 'bigint',
    width: 'bigint',
    given_back: 'bigint',
    wanted: 'bigint',
  })
  const taken = least(sql`wanted`, sql`width / cost`)
  // Of a counter that exists: `excluded` is what would be inserted.
  const now = sql`(excluded.whole_at - excluded.cost * excluded.taken)`
  const end = sql`(${now} + excluded.width)`
  const before = sql`(counter.whole_at - excluded.cost * excluded.given_back)`
  const start = sql`case when ${before} between ${now} and ${end} + ${sql.lit(maxClockSkewUs)}
    then ${before} else ${now} end`
  const left = sql`case when ${start} > ${end} then 0 else (${end} - ${start}) / excluded.cost end`
  const leftTaken = least(sql`excluded.taken`, left)
  // Any database of the installation may send it: the name says the schema.
  const table = sql.table(engineOf(db) === 'postgres' ? 'limits.rate_limits' : 'rate_limits')
  return {
    compile: () =>
      sql<{ key_id: string; whole_at: bigint; taken: bigint; now: bigint }>`
        insert into ${table} as counter (key_id, cost, width, given_back, taken, whole_at)
        select key_id, cost, width, given_back, ${taken}, ${clock} + cost * ${taken}
        from ${changes} where true order by key_id
        on conflict (key_id) do update set cost = excluded.cost, width = excluded.width,
          given_back = excluded.given_back, taken = ${leftTaken},
          whole_at = ${start} + excluded.cost * ${leftTaken}
        returning key_id, whole_at, taken, ${clock} as now`.compile(db),
  }
})

/** Rounded down: all of the limit fits into its window, also where it does not divide it evenly. */
const costOf = ({ requests, windowSeconds }: RateLimit): number =>
  Math.max(1, Math.floor((windowSeconds * 1e6) / requests))

interface Counter extends Change {
  /** After the statement. */
  changed?: { wholeAt: number; now: number; taken: number }
}

type Counters = Map<string, Counter>

async function saveChanges(database: Database, counters: Counters): Promise<void> {
  const rows = await database.execute(changeCounters, {
    changes: JSON.stringify([...counters.values()]),
    now: database.clock ? Math.round(database.clock() * 1000) : null,
  })
  for (const { key_id, now, taken, whole_at } of rows) {
    const counter = counters.get(key_id) as Counter
    counter.changed = { wholeAt: Number(whole_at), now: Number(now), taken: Number(taken) }
  }
}

const shareStatements = (database: Database) =>
  shareRuns(
    (): Counters => new Map(),
    (counters) => saveChanges(database, counters),
  )

const statements = new WeakMap<Database, ReturnType<typeof shareStatements>>()

/** The counter in the next statement. Undefined if that has it under another limit, which was changed meanwhile. */
function join(database: Database, key: string, limit: RateLimit) {
  let nextStatement = statements.get(database)
  if (!nextStatement) {
    nextStatement = shareStatements(database)
    statements.set(database, nextStatement)
  }
  const { batch, result } = nextStatement()
  const cost = costOf(limit)
  const width = limit.windowSeconds * 1e6
  let counter = batch.get(key)
  if (!counter) {
    counter = { key_id: key, cost, width, given_back: 0, wanted: 0 }
    batch.set(key, counter)
  }
  const isSame = counter.cost === cost && counter.width === width
  return { counter: isSame ? counter : undefined, result }
}

export type Spent = ReturnType<typeof spentOf>

/** Takes one from the allowance that `key` has under `limit`, if there is one left. */
export function spendAllowance(database: Database, key: string, limit: RateLimit): Promise<Spent> {
  const { counter, result } = join(database, key, limit)
  if (!counter) return result.then(() => spendAllowance(database, key, limit))
  const position = counter.wanted++
  return result.then(() => spentOf(counter, position))
}

/** `position` is among those that are wanted, from 0. */
function spentOf({ changed, cost, width }: Counter, position: number) {
  if (!changed) throw new Error('a counter was not returned')
  const { now, taken } = changed
  const isSpent = position < taken
  // Those behind this one in the same statement are not counted yet.
  const wholeAt = changed.wholeAt - (isSpent ? taken - 1 - position : 0) * cost
  return {
    /** False when nothing was left, and nothing was taken. */
    isSpent,
    /** How many are left. */
    left: isSpent ? Math.max(0, Math.floor((width - (wholeAt - now)) / cost)) : 0,
    /** Seconds until the allowance is whole again. */
    wholeInSeconds: Math.max(0, Math.ceil((wholeAt - now) / 1e6)),
    /** Seconds until there is one again; 0 when there still is. */
    retryInSeconds: isSpent ? 0 : Math.max(1, Math.ceil((wholeAt + cost - width - now) / 1e6)),
  }
}

/** Gives one back. */
export async function refundAllowance(
  database: Database,
  key: string,
  limit: RateLimit,
): Promise<void> {
  const { counter, result } = join(database, key, limit)
  if (counter) counter.given_back++
  await result
  if (!counter) await refundAllowance(database, key, limit)
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
