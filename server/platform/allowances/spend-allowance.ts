// Allowances, exact over all processes: one shared counter for each name (the generic cell rate algorithm). They are in
// a database of their own, which a power failure may lose. All changes that arrive together are one statement, which is a
// transaction. It locks its counters in the order of their names, so that processes never wait for each other in a
// circle, and tells the time by the database's clock, so that a node whose clock is wrong takes nothing from others.
// A process takes ahead for a busy name, at most what its limit gives in `maxAheadUs`, and gives back what it has not used.
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

/** A limit in microseconds: what one costs, and the window. */
interface Measures {
  cost: number
  width: number
}

const isSameLimit = (a: Measures, b: Measures): boolean => a.cost === b.cost && a.width === b.width

/** What is asked of one counter. */
interface Change extends Measures {
  key_id: string
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

/** What was taken ahead is used for this long. No limit of less than one in this time is taken ahead. */
const maxAheadUs = 250_000

/** Names whose last statement is remembered, in each process. */
const maxReservations = 10_000

/** What one statement took from a counter: `taken` in turn, of which `next` is the first that is not used. */
interface Reservation extends Measures {
  wholeAt: number
  /** By the clock of the statement. */
  now: number
  /** By `localClock`. */
  receivedAt: number
  taken: number
  next: number
}

interface Counter extends Change {
  /** After the statement: this counter's are those from `first` on. */
  reservation?: Reservation
  first: number
}

/** Microseconds. */
const localClock = (database: Database): number =>
  (database.clock ? database.clock() : performance.now()) * 1000

/** Microseconds since the statement. */
const ageOf = (database: Database, { receivedAt }: Reservation): number =>
  Math.max(0, localClock(database) - receivedAt)

/** Returns false, and changes nothing, where a statement is needed. */
function takeReserved(reservation: Reservation, counter: Counter): boolean {
  const first = reservation.next - counter.given_back
  if (first < 0 || first + counter.wanted > reservation.taken) return false
  reservation.next = first + counter.wanted
  counter.reservation = reservation
  counter.first = first
  return true
}

/** All changes that wait for the next statement, and what the last ones took. */
class Counters {
  readonly database: Database
  readonly join: () => { batch: Map<string, Counter>; result: Promise<void> }
  /** By name, the longest unchanged first. */
  readonly #reservations = new Map<string, Reservation>()

  constructor(database: Database) {
    this.database = database
    this.join = shareRuns(
      (): Map<string, Counter> => new Map(),
      (counters) => this.#save(counters),
    )
  }

  /** What was taken ahead under this limit and can be used, used up or not. */
  findReservation(key: string, limit: Measures): Reservation | undefined {
    const reservation = this.#reservations.get(key)
    if (!reservation || !isSameLimit(reservation, limit)) return
    return ageOf(this.database, reservation) < maxAheadUs ? reservation : undefined
  }

  /** Changes the counters by what is still reserved, and all others by one statement. */
  async #save(counters: Map<string, Counter>): Promise<void> {
    const changes: Change[] = []
    for (const counter of counters.values()) {
      const reservation = this.findReservation(counter.key_id, counter)
      if (!reservation || !takeReserved(reservation, counter)) changes.push(this.#close(counter))
    }
    if (changes.length === 0) return
    const { database } = this
    const rows = await database.execute(changeCounters, {
      changes: JSON.stringify(changes),
      now: database.clock ? Math.round(database.clock() * 1000) : null,
    })
    const receivedAt = localClock(database)
    for (const { key_id, now, taken, whole_at } of rows) {
      const counter = counters.get(key_id) as Counter
      const { cost, wanted, width } = counter
      counter.reservation = {
        cost,
        width,
        wholeAt: Number(whole_at),
        now: Number(now),
        receivedAt,
        taken: Number(taken),
        next: wanted,
      }
      if (cost <= maxAheadUs) this.#keepReservation(key_id, counter.reservation)
    }
  }

  /** The change of a counter by statement, with what has to be taken ahead for it and what was in vain. */
  #close({ cost, given_back, key_id, wanted, width }: Counter): Change {
    const change = { key_id, cost, width, given_back, wanted }
    const last = this.#reservations.get(key_id)
    this.#reservations.delete(key_id)
    if (!last || !isSameLimit(last, change)) return change
    const age = ageOf(this.database, last)
    // Twice as many as were used a moment ago: a name that is not busy takes nothing from other processes.
    if (age < 2 * maxAheadUs)
      change.wanted += Math.min(Math.floor(maxAheadUs / cost), 2 * last.next)
    // An allowance that has been whole since has them again.
    if (last.now + age < last.wholeAt) change.given_back += Math.max(0, last.taken - last.next)
    return change
  }

  #keepReservation(key: string, reservation: Reservation): void {
    this.#reservations.set(key, reservation)
    if (this.#reservations.size <= maxReservations) return
    for (const oldest of this.#reservations.keys()) {
      this.#reservations.delete(oldest)
      return
    }
  }
}

const countersByDatabase = new WeakMap<Database, Counters>()

function countersOf(database: Database): Counters {
  let counters = countersByDatabase.get(database)
  if (!counters) {
    counters = new Counters(database)
    countersByDatabase.set(database, counters)
  }
  return counters
}

/** The counter in the next statement. Undefined if that has it under another limit, which was changed meanwhile. */
function join(counters: Counters, key: string, limit: Measures) {
  const { batch, result } = counters.join()
  let counter = batch.get(key)
  if (!counter) {
    counter = { key_id: key, ...limit, given_back: 0, wanted: 0, first: 0 }
    batch.set(key, counter)
  }
  return { counter: isSameLimit(counter, limit) ? counter : undefined, result }
}

const measure = (limit: RateLimit): Measures => ({
  cost: costOf(limit),
  width: limit.windowSeconds * 1e6,
})

export type Spent = ReturnType<typeof spentOf>

/** Takes one from the allowance that `key` has under `limit`, if there is one left. */
export async function spendAllowance(
  database: Database,
  key: string,
  limit: RateLimit,
): Promise<Spent> {
  const counters = countersOf(database)
  const measures = measure(limit)
  const reservation = counters.findReservation(key, measures)
  if (reservation && reservation.next < reservation.taken)
    return spentOf(database, reservation, reservation.next++)
  const { counter, result } = join(counters, key, measures)
  const position = counter ? counter.wanted++ : 0
  await result
  if (!counter) return await spendAllowance(database, key, limit)
  if (!counter.reservation) throw new Error('a counter was not returned')
  return spentOf(database, counter.reservation, counter.first + position)
}

/** `position` is among those that were taken, from 0, or behind them. */
function spentOf(database: Database, reservation: Reservation, position: number) {
  const { cost, taken, width } = reservation
  const now = reservation.now + ageOf(database, reservation)
  const isSpent = position < taken
  // Those behind this one are not counted yet.
  const wholeAt = reservation.wholeAt - (isSpent ? taken - 1 - position : 0) * cost
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
  const counters = countersOf(database)
  const measures = measure(limit)
  const reservation = counters.findReservation(key, measures)
  if (reservation && reservation.next > 0 && reservation.next <= reservation.taken) {
    reservation.next--
    return
  }
  const { counter, result } = join(counters, key, measures)
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
