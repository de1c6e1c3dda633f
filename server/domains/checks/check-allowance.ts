// How many checks an account may request. Each check sends up to 40 DNS queries to the servers of others. Checks in
// the background have their own schedule and are not counted.
import { spendAllowance } from '#kit/allowances/spend-allowance.ts'
import type { RateLimit } from '#kit/config/parse-variable.ts'
import type { Database } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'

/** `host`: of any host, added or not. `domain`: of domains that the account has added. */
const limits = {
  host: { requests: 20, windowSeconds: 60 },
  domain: { requests: 120, windowSeconds: 60 },
} satisfies Record<string, RateLimit>

export type SpendCheck = ReturnType<typeof checkAllowance>

/** Counts a check that an account requests. Throws `rate_limited` when none is left. */
export function checkAllowance(allowances: Database) {
  return async (accountId: string, of: keyof typeof limits): Promise<void> => {
    const limit = limits[of]
    const key = `${of} checks of ${accountId}`
    const { isSpent, retryInSeconds } = await spendAllowance(allowances, key, limit)
    if (isSpent) return
    const message = `An account can request ${limit.requests} checks a minute. Retry in ${retryInSeconds} s.`
    throw new AppError('rate_limited', message, { headers: { 'Retry-After': `${retryInSeconds}` } })
  }
}
