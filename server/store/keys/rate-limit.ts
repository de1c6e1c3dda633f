// Rate limits by key, exact over all processes. Off unless configured. A 304 is given back.
import { refundAllowance, spendAllowance } from '../../platform/allowances/spend-allowance.ts'
import { parseRateLimit, type RateLimit } from '../../platform/config/parse-variable.ts'
import type { Database } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { ApiKey } from './keys.ts'

export type RateLimiter = ReturnType<typeof createRateLimiter>

export function createRateLimiter(database: Database, standard: RateLimit | undefined) {
  // By the key as it was read: a change of the key makes a new object.
  const parsed = new WeakMap<ApiKey, RateLimit>()

  function parse(key: ApiKey, text: string): RateLimit | undefined {
    const limit = parsed.get(key) ?? parseRateLimit(text)
    if (limit) parsed.set(key, limit)
    return limit
  }

  return {
    /** The limit of a key, or undefined when it has none. */
    limitOf: (key: ApiKey) => (key.rateLimit === undefined ? standard : parse(key, key.rateLimit)),
    /**
     * Takes one request from the key's allowance. Returns the RateLimit fields (draft-ietf-httpapi-ratelimit-headers),
     * names and values in turn. Throws `rate_limited` when there is none left.
     */
    async spend(key: ApiKey, limit: RateLimit): Promise<{ headers: string[] }> {
      const spent = await spendAllowance(database, key.id, limit)
      const fields = {
        'RateLimit-Policy': `"default";q=${limit.requests};w=${limit.windowSeconds}`,
        RateLimit: `"default";r=${spent.left};t=${spent.wholeInSeconds}`,
      }
      if (spent.isSpent) return { headers: Object.entries(fields).flat() }
      const seconds = spent.retryInSeconds
      throw new AppError(
        'rate_limited',
        `This key is limited to ${limit.requests} requests in ${limit.windowSeconds} seconds. Retry in ${seconds} s.`,
        { headers: { ...fields, 'Retry-After': `${seconds}` } },
      )
    },
    /** Gives one request back. */
    refund: (key: ApiKey, limit: RateLimit) => refundAllowance(database, key.id, limit),
  }
}
