// Rate limits by key, exact over all processes: one shared counter for each key, moved by one statement
// (the generic cell rate algorithm). Off unless configured. A 304 is given back.

import { parseRateLimit, type RateLimit } from '../../platform/config.ts'
import { type Database, each, findOne } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import { define } from '../tables.ts'
import type { ApiKey } from './keys.ts'

export interface Allowance {
  /** The RateLimit fields (draft-ietf-httpapi-ratelimit-headers). */
  headers: Record<string, string>
  limit: RateLimit
}

export interface RateLimiter {
  /** The limit of a key, or undefined when it has none. */
  limitOf(key: ApiKey): RateLimit | undefined
  /** Takes one request from the key's allowance. Throws `rate_limited` when there is none left. */
  spend(key: ApiKey, limit: RateLimit, now: number): Promise<Allowance>
  /** Gives one request back. */
  refund(key: ApiKey, limit: RateLimit): Promise<void>
}

const spendOne = define<{
  key: string
  first: number
  now: number
  cost: number
  latest: number
}>()((db, param) =>
  db
    .insertInto('rate_limits')
    .values({ key_id: param('key'), whole_at: param('first') as never })
    .onConflict((conflict) =>
      conflict
        .column('key_id')
        .doUpdateSet((eb) => ({
          whole_at: eb
            .case()
            .when('rate_limits.whole_at', '>', param('now') as never)
            .then(eb('rate_limits.whole_at', '+', param('cost') as never))
            .else(param('first') as never)
            .end() as never,
        }))
        .where('rate_limits.whole_at', '<=', param('latest') as never),
    )
    .returning('whole_at'),
)
const readOne = define<{ key: string }>()((db, param) =>
  db.selectFrom('rate_limits').select('whole_at').where('key_id', '=', param('key')),
)
const giveBack = define<{ key: string; cost: number }>()((db, param) =>
  db
    .updateTable('rate_limits')
    .set((eb) => ({ whole_at: eb('whole_at', '-', param('cost') as never) }))
    .where('key_id', '=', param('key')),
)

interface Spending {
  key: string
  limit: RateLimit
  /** Microseconds, so that a limit of thousands a second still has whole numbers. */
  now: number
}

const costOf = (limit: RateLimit): number => Math.ceil((limit.windowSeconds * 1e6) / limit.requests)

const spending = each(async (session, { key, limit, now }: Spending) => {
  const cost = costOf(limit)
  const latest = now + limit.windowSeconds * 1e6 - cost
  const spent = await findOne(session, spendOne, { key, first: now + cost, now, cost, latest })
  if (spent) return { spent: true, wholeAt: Number(spent.whole_at) }
  const found = await findOne(session, readOne, { key })
  return { spent: false, wholeAt: Number(found?.whole_at ?? now) }
})

const refunding = each(async (session, { key, cost }: { key: string; cost: number }) => {
  await session.all(giveBack, { key, cost })
})

export function createRateLimiter(
  database: Database,
  standard: RateLimit | undefined,
): RateLimiter {
  return {
    limitOf: (key) => (key.rateLimit === undefined ? standard : parseRateLimit(key.rateLimit)),
    async spend(key, limit, nowMs) {
      const now = Math.round(nowMs * 1000)
      const { spent, wholeAt } = await database.write(spending, { key: key.id, limit, now })
      const windowUs = limit.windowSeconds * 1e6
      const left = Math.max(0, Math.floor((windowUs - (wholeAt - now)) / costOf(limit)))
      const waitUs = wholeAt + costOf(limit) - windowUs - now
      const resetSeconds = Math.max(0, Math.ceil((wholeAt - now) / 1e6))
      const headers = {
        'RateLimit-Policy': `"default";q=${limit.requests};w=${limit.windowSeconds}`,
        RateLimit: `"default";r=${spent ? left : 0};t=${resetSeconds}`,
      }
      if (spent) return { headers, limit }
      const seconds = Math.max(1, Math.ceil(waitUs / 1e6))
      throw new AppError(
        'rate_limited',
        `This key may make ${limit.requests} requests in ${limit.windowSeconds} seconds. Try again in ${seconds} s.`,
        {
          headers: { ...headers, 'Retry-After': `${seconds}` },
        },
      )
    },
    async refund(key, limit) {
      await database.write(refunding, { key: key.id, cost: costOf(limit) })
    },
  }
}
