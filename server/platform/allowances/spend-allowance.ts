// Allowances, exact over all processes: one shared counter for each name (the generic cell rate algorithm). They are in
// a database of their own, which a power failure may lose. All changes that arrive together are one transaction of two
// statements. It locks its counters in the order of their names, so that processes never wait for each other in a
// circle, and tells the time by the database's clock, so that a node whose clock is wrong takes nothing from others.
import { sql } from 'kysely'
import type { RateLimit } from '../config/parse-variable.ts'
import type { Database, Session, Work } from '../database/database.ts'
import { jsonRows } from '../database/json-rows.ts'
import { engineOf, queriesFor } from '../database/query.ts'
import { readDatabaseClock } from '../database/read-clock.ts'
import { oldRowsOf } from '../jobs/delete-old-rows.ts'

interface AllowanceTables {
  /** The moment, in microseconds, at which an allowance is whole again. */
  rate_limits: { key_id: string; whole_at: bigint }
}

const prepareQuery = queriesFor<AllowanceTables>()

/** Locks the counters in order and returns them with the time; creates those that do not exist, which are whole. */
const lockCounters = prepareQuery<{ keys: string; now: number | null }>()((db, param) => {
  // The start of the statement: the same moment wherever it is used.
  const serverClock =
    engineOf(db) === 'postgres'
      ? sql`cast(extract(epoch from statement_timestamp()) * 1000000 as bigint)`
      : sql`null`
  const now = sql`coalesce(cast(${param('now')} as bigint), ${serverClock})`
  const keys = jsonRows(db, param('keys'), 'keys', { key_id: 'text' })
  return {
    compile: () =>
      sql<{ key_id: string; whole_at: bigint; now: bigint }>`
        insert into rate_limits (key_id, whole_at)
        select keys.key_id, ${now} from ${keys} where true order by keys.key_id
        on conflict (key_id) do update set whole_at = rate_limits.whole_at
        returning key_id, whole_at, ${now} as now`.compile(db),
  }
})

const saveCounters = prepareQuery<{ counters: string }>()((db, param) => ({
  compile: () =>
    sql<unknown>`update rate_limits set whole_at = changed.whole_at
      from ${jsonRows(db, param('counters'), 'changed', { key_id: 'text', whole_at: 'bigint' })}
      where rate_limits.key_id = changed.key_id`.compile(db),
}))

/** A counter that is later by more than this dates from before the clock was set back. */
const maxClockSkewUs = 60e6

/** Counters are kept for this long after they are whole: a deletion needs no exact time. */
const keptUs = 60e6

/** Rounded down: all of the limit fits into its window, also where it does not divide it evenly. */
const costOf = ({ requests, windowSeconds }: RateLimit): number =>
  Math.max(1, Math.floor((windowSeconds * 1e6) / requests))

interface Change {
  key: string
  limit: RateLimit
  isRefund: boolean
  /** In microseconds, so that a limit of thousands per second still has whole numbers; null: the database's. */
  now: number | null
}

interface Changed {
  isSpent: boolean
  wholeAt: number
  now: number
}

const changeCounters: Work<Change, Changed> = async (session, changes) => {
  const counters = await lockAll(session, changes)
  const moved = new Map<string, number>()
  const outcomes = changes.map((change) => {
    const counter = counters.get(change.key) as Omit<Changed, 'isSpent'>
    const outcome = applyChange(counter, change)
    if (outcome.wholeAt !== counter.wholeAt) moved.set(change.key, outcome.wholeAt)
    counter.wholeAt = outcome.wholeAt
    return outcome
  })
  if (moved.size > 0) {
    const rows = [...moved].map(([key_id, whole_at]) => ({ key_id, whole_at }))
    await session.all(saveCounters, { counters: JSON.stringify(rows) })
  }
  return outcomes
}

async function lockAll(session: Session, changes: Change[]) {
  const keys = [...new Set(changes.map(({ key }) => key))].map((key_id) => ({ key_id }))
  const now = changes.at(-1)?.now ?? null
  const rows = await session.all(lockCounters, { keys: JSON.stringify(keys), now })
  return new Map(
    rows.map((row) => [row.key_id, { wholeAt: Number(row.whole_at), now: Number(row.now) }]),
  )
}

function applyChange(
  { now, wholeAt }: { wholeAt: number; now: number },
  { isRefund, limit }: Change,
): Changed {
  const cost = costOf(limit)
  if (isRefund) return { isSpent: false, wholeAt: wholeAt - cost, now }
  const end = now + limit.windowSeconds * 1e6
  const from = wholeAt > end + maxClockSkewUs ? now : Math.max(now, wholeAt)
  if (from + cost > end) return { isSpent: false, wholeAt, now }
  return { isSpent: true, wholeAt: from + cost, now }
}

function writeChange(database: Database, key: string, limit: RateLimit, isRefund: boolean) {
  const now = database.clock ? Math.round(database.clock() * 1000) : null
  return database.write(changeCounters, { key, limit, isRefund, now })
}

export type Spent = Awaited<ReturnType<typeof spendAllowance>>

/** Takes one from the allowance that `key` has under `limit`, if there is one left. */
export async function spendAllowance(database: Database, key: string, limit: RateLimit) {
  const { isSpent, now, wholeAt } = await writeChange(database, key, limit, false)
  const windowUs = limit.windowSeconds * 1e6
  const waitUs = wholeAt + costOf(limit) - windowUs - now
  return {
    /** False when nothing was left, and nothing was taken. */
    isSpent,
    /** How many are left. */
    left: isSpent ? Math.max(0, Math.floor((windowUs - (wholeAt - now)) / costOf(limit))) : 0,
    /** Seconds until the allowance is whole again. */
    wholeInSeconds: Math.max(0, Math.ceil((wholeAt - now) / 1e6)),
    /** Seconds until there is one again; 0 when there still is. */
    retryInSeconds: isSpent ? 0 : Math.max(1, Math.ceil(waitUs / 1e6)),
  }
}

/** Gives one back. */
export async function refundAllowance(
  database: Database,
  key: string,
  limit: RateLimit,
): Promise<void> {
  await writeChange(database, key, limit, true)
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
