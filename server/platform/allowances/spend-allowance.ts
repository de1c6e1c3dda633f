// Allowances, exact over all processes: one shared counter for each name (the generic cell rate algorithm). They are in
// a database of their own, which a power failure may lose. All changes that arrive together are one statement, which is a
// transaction. It locks its counters in the order of their names, so that processes never wait for each other in a
// circle, and tells the time by the database's clock, so that a node whose clock is wrong takes nothing from others.
import { sql } from 'kysely'
import type { RateLimit } from '../config/parse-variable.ts'
import type { Database } from '../database/database.ts'
import { jsonRows } from '../database/json-rows.ts'
import { engineOf, queriesFor } from '../database/query.ts'
import { readDatabaseClock } from '../database/read-clock.ts'
import { shareRuns } from '../database/share-runs.ts'
import { oldRowsOf } from '../jobs/delete-old-rows.ts'

interface AllowanceTables {
  rate_limits: {
    key_id: string
    /** The moment, in microseconds, at which an allowance is whole again. */
    whole_at: bigint
    /** How many the last statement took. */
    taken: bigint
  }
}

const prepareQuery = queriesFor<AllowanceTables>()

/** A counter that is later by more than this dates from before the clock was set back. */
const maxClockSkewUs = 60e6

/** Counters are kept for this long after they are whole: a deletion needs no exact time. */
const keptUs = 60e6

/** What is asked of one counter, in microseconds, so that a limit of thousands per second still has whole numbers. */
interface Change {
  key_id: string
  /** Of one. */
  cost: number
  width: number
  wanted: number
  given_back: number
}

/** Gives back, then takes as many as are wanted and left. A counter that does not exist is whole. */
const changeCounters = prepareQuery<{ changes: string; now: number | null }>()((db, param) => {
  // The start of the statement: the same moment wherever it is used.
  const serverClock =
    engineOf(db) === 'postgres'
      ? sql`cast(extract(epoch from statement_timestamp()) * 1000000 as bigint)`
      : sql`null`
  const now = sql`coalesce(cast(${param('now')} as bigint), ${serverClock})`
  const columns = {
    key_id: 'text',
    cost: 'bigint',
    width: 'bigint',
    wanted: 'bigint',
    given_back: 'bigint',
  } as const
  const least = sql`case when room < wanted then room else wanted end`
  const end = sql`(now + width)`
  return {
    compile: () =>
      sql<{ key_id: string; whole_at: bigint; taken: bigint; now: bigint }>`
        with changes as materialized (
          select changes.*, width / cost as room, ${now} as now
          from ${jsonRows(db, param('changes'), 'changes', columns)}
        )
        insert into rate_limits (key_id, whole_at, taken)
        select key_id, now + cost * ${least}, ${least} from changes where true order by key_id
        on conflict (key_id) do update set (whole_at, taken) = (
          select start + cost * ${least}, ${least} from (
            select cost, wanted, start,
              case when start > ${end} then 0 else (${end} - start) / cost end as room
            from (
              select cost, width, wanted, now,
                case when whole between now and ${end} + ${sql.lit(maxClockSkewUs)} then whole
                  else now end as start
              from (
                select changes.*, rate_limits.whole_at - cost * given_back as whole
                from changes where changes.key_id = rate_limits.key_id
              ) as counter
            ) as started
          ) as measured
        )
        returning key_id, whole_at, taken, ${now} as now`.compile(db),
  }
})

/** Rounded down: all of the limit fits into its window, also where it does not divide it evenly. */
const costOf = ({ requests, windowSeconds }: RateLimit): number =>
  Math.max(1, Math.floor((windowSeconds * 1e6) / requests))

interface Changed {
  /** When the allowance is whole, after all changes of the statement. */
  wholeAt: number
  now: number
  taken: number
}

type Changes = Map<string, Change>

async function saveChanges(database: Database, changes: Changes): Promise<Map<string, Changed>> {
  const rows = await database.execute(changeCounters, {
    changes: JSON.stringify([...changes.values()]),
    now: database.clock ? Math.round(database.clock() * 1000) : null,
  })
  return new Map(
    rows.map(({ key_id, now, taken, whole_at }) => [
      key_id,
      { wholeAt: Number(whole_at), now: Number(now), taken: Number(taken) },
    ]),
  )
}

const sharedBy = new WeakMap<Database, ReturnType<typeof shareChanges>>()

const shareChanges = (database: Database) =>
  shareRuns(
    (): Changes => new Map(),
    (changes) => saveChanges(database, changes),
  )

/** Adds to the next statement. Gives the position among those that are `wanted` of this counter, from 0. */
async function change(
  database: Database,
  key: string,
  limit: RateLimit,
  what: 'wanted' | 'given_back',
): Promise<Changed & { position: number }> {
  let nextRun = sharedBy.get(database)
  if (!nextRun) {
    nextRun = shareChanges(database)
    sharedBy.set(database, nextRun)
  }
  const { batch, result } = nextRun()
  const cost = costOf(limit)
  const width = limit.windowSeconds * 1e6
  let mine = batch.get(key)
  if (!mine) {
    mine = { key_id: key, cost, width, wanted: 0, given_back: 0 }
    batch.set(key, mine)
  }
  if (mine.cost !== cost || mine.width !== width) {
    // The limit was changed meanwhile.
    await result
    return await change(database, key, limit, what)
  }
  const position = mine[what]++
  return { ...((await result).get(key) as Changed), position }
}

export type Spent = Awaited<ReturnType<typeof spendAllowance>>

/** Takes one from the allowance that `key` has under `limit`, if there is one left. */
export async function spendAllowance(database: Database, key: string, limit: RateLimit) {
  const changed = await change(database, key, limit, 'wanted')
  const { now, position, taken } = changed
  const isSpent = position < taken
  const cost = costOf(limit)
  const windowUs = limit.windowSeconds * 1e6
  // Those behind this one in the same statement are not counted yet.
  const wholeAt = changed.wholeAt - (isSpent ? taken - 1 - position : 0) * cost
  return {
    /** False when nothing was left, and nothing was taken. */
    isSpent,
    /** How many are left. */
    left: isSpent ? Math.max(0, Math.floor((windowUs - (wholeAt - now)) / cost)) : 0,
    /** Seconds until the allowance is whole again. */
    wholeInSeconds: Math.max(0, Math.ceil((wholeAt - now) / 1e6)),
    /** Seconds until there is one again; 0 when there still is. */
    retryInSeconds: isSpent ? 0 : Math.max(1, Math.ceil((wholeAt + cost - windowUs - now) / 1e6)),
  }
}

/** Gives one back. */
export async function refundAllowance(
  database: Database,
  key: string,
  limit: RateLimit,
): Promise<void> {
  await change(database, key, limit, 'given_back')
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
