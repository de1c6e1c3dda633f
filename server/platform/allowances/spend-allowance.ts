// Allowances, exact over all processes: one shared counter for each name, moved by one statement (the
// generic cell rate algorithm). They are in a database of their own, which a power failure may lose.
import type { RateLimit } from '../config/parse-variable.ts'
import { type Database, findOne, transaction } from '../database/database.ts'
import { queriesFor } from '../database/query.ts'
import { oldRowsOf } from '../jobs/delete-old-rows.ts'

interface AllowanceTables {
  /** The moment, in microseconds, at which an allowance is whole again. */
  rate_limits: { key_id: string; whole_at: bigint }
}

const prepareQuery = queriesFor<AllowanceTables>()

const spendOne = prepareQuery<{
  key: string
  first: number
  now: number
  cost: number
  latest: number
  beyond: number
}>()((db, param) =>
  db
    .insertInto('rate_limits')
    .values({ key_id: param('key'), whole_at: param('first') })
    .onConflict((conflict) =>
      conflict
        .column('key_id')
        .doUpdateSet((eb) => ({
          whole_at: eb
            .case()
            .when('rate_limits.whole_at', '>', param('beyond'))
            .then(param('first'))
            .when('rate_limits.whole_at', '>', param('now'))
            .then(eb('rate_limits.whole_at', '+', param('cost')))
            .else(param('first'))
            .end(),
        }))
        .where((eb) =>
          eb.or([
            eb('rate_limits.whole_at', '<=', param('latest')),
            eb('rate_limits.whole_at', '>', param('beyond')),
          ]),
        ),
    )
    .returning('whole_at'),
)
const readOne = prepareQuery<{ key: string }>()((db, param) =>
  db.selectFrom('rate_limits').select('whole_at').where('key_id', '=', param('key')),
)
const giveBack = prepareQuery<{ key: string; cost: number }>()((db, param) =>
  db
    .updateTable('rate_limits')
    .set((eb) => ({ whole_at: eb('whole_at', '-', param('cost')) }))
    .where('key_id', '=', param('key')),
)

/** A counter that is later by more than this dates from before the clock was set back. */
const maxClockSkewUs = 60e6

/** Rounded down: all of the limit fits into its window, also where it does not divide it evenly. */
const costOf = ({ requests, windowSeconds }: RateLimit): number =>
  Math.max(1, Math.floor((windowSeconds * 1e6) / requests))

/** `now` is in microseconds, so that a limit of thousands per second still has whole numbers. */
const spend = transaction(async (session, key: string, limit: RateLimit, now: number) => {
  const cost = costOf(limit)
  const end = now + limit.windowSeconds * 1e6
  const bounds = { latest: end - cost, beyond: end + maxClockSkewUs }
  const spent = await findOne(session, spendOne, { key, first: now + cost, now, cost, ...bounds })
  if (spent) return { isSpent: true, wholeAt: Number(spent.whole_at) }
  const found = await findOne(session, readOne, { key })
  return { isSpent: false, wholeAt: Number(found?.whole_at ?? now) }
})

export type Spent = Awaited<ReturnType<typeof spendAllowance>>

/** Takes one from the allowance that `key` has under `limit`, if there is one left. `nowMs` is the clock's. */
export async function spendAllowance(
  database: Database,
  key: string,
  limit: RateLimit,
  nowMs: number,
) {
  const now = Math.round(nowMs * 1000)
  const { isSpent, wholeAt } = await spend(database, key, limit, now)
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
export const refundAllowance = transaction(async (session, key: string, limit: RateLimit) => {
  await session.all(giveBack, { key, cost: costOf(limit) })
})

const deleteWholeCounters = oldRowsOf<AllowanceTables>()({
  table: 'rate_limits',
  key: ['key_id'],
  time: 'whole_at',
})

/** Deletes the counters of allowances that are whole. */
export async function deleteWholeAllowances(database: Database, nowMs: number): Promise<void> {
  await deleteWholeCounters(database, Math.round(nowMs * 1000))
}
