// Rate limits of API keys, exact over all processes. Off unless configured. A 304 does not count.
import { refundAllowance, spendAllowance } from '#kit/allowances/spend-allowance.ts'
import type { RateLimit } from '#kit/config/parse-variable.ts'
import type { Database } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import type { Allowance } from '#kit/http/request/request-head.ts'
import type { PlainRequest } from '#kit/http/response/ready-response.ts'
import type { ApiKey } from './authenticate.ts'

export type RateLimiter = ReturnType<typeof createRateLimiter>

export function createRateLimiter(database: Database, standard: RateLimit | undefined) {
  const take = (key: ApiKey, limit: RateLimit): Allowance['spent'] =>
    spendAllowance(database, key.id, limit).then((spent) => {
      const policy = `"default";q=${limit.requests};w=${limit.windowSeconds}`
      const left = `"default";r=${spent.left};t=${spent.wholeInSeconds}`
      if (spent.isSpent) return { headers: ['RateLimit-Policy', policy, 'RateLimit', left] }
      const seconds = spent.retryInSeconds
      throw new AppError(
        'rate_limited',
        `This key is limited to ${limit.requests} requests in ${limit.windowSeconds} seconds. Retry in ${seconds} s.`,
        {
          headers: { 'RateLimit-Policy': policy, RateLimit: left, 'Retry-After': `${seconds}` },
        },
      )
    })

  /** Gives back what was taken by the key as it was before a change. */
  async function takeAgain({ spent, taker }: Allowance, key: ApiKey, limit: RateLimit) {
    const before = taker as ApiKey
    const limitBefore = before.limit ?? standard
    const wasTaken = await spent.then(
      () => true,
      () => false,
    )
    if (wasTaken && limitBefore) await refundAllowance(database, before.id, limitBefore)
    return await take(key, limit)
  }

  return {
    /** Of keys without one of their own. */
    standard,
    /**
     * Takes the request from the key's allowance, once. Returns the RateLimit fields
     * (draft-ietf-httpapi-ratelimit-headers), names and values in turn. Throws `rate_limited` when there is none left.
     */
    spend(
      request: Pick<PlainRequest, 'allowance'>,
      key: ApiKey,
      limit: RateLimit,
    ): Allowance['spent'] {
      const before = request.allowance
      if (before?.taker === key) return before.spent
      const spent = before ? takeAgain(before, key, limit) : take(key, limit)
      request.allowance = { taker: key, spent }
      return spent
    },
    /** Gives the request back if nothing has changed since the client's copy: a 304 costs nothing. */
    async refundUnchanged(key: ApiKey, status: number): Promise<void> {
      const limit = status === 304 && (key.limit ?? standard)
      if (limit) await refundAllowance(database, key.id, limit)
    },
  }
}
