// Limits how often codes of a second factor are tried: with the password known, six digits could be guessed.
import { refundAllowance, spendAllowance } from '../allowances/spend-allowance.ts'
import { AppError } from '../errors.ts'
import type { AccountContext } from './account-context.ts'

/** Wrong codes of an account, from everywhere: a guess succeeds with a chance of 1 in 16,000 each day. */
const limit = { requests: 20, windowSeconds: 24 * 3600 }

/**
 * Runs `attempt`, which returns or throws what is wrong. A wrong code counts; at the limit, it throws `rate_limited`
 * without running it. Without a code nothing is counted.
 */
export async function withCodeAttempt<Outcome>(
  { allowances }: Pick<AccountContext, 'allowances'>,
  accountId: string,
  code: string | undefined,
  attempt: () => Promise<Outcome | AppError>,
): Promise<Outcome> {
  const key = `codes of ${accountId}`
  if (code !== undefined) {
    const { isSpent, retryInSeconds } = await spendAllowance(allowances, key, limit)
    if (!isSpent) {
      throw new AppError('rate_limited', 'Too many wrong codes. Try again later.', {
        headers: { 'Retry-After': `${retryInSeconds}` },
      })
    }
  }
  let isWrong = false
  try {
    const outcome = await attempt()
    if (!(outcome instanceof AppError)) return outcome
    isWrong = outcome.code === 'invalid_code'
    throw outcome
  } finally {
    if (code !== undefined && !isWrong) await refundAllowance(allowances, key, limit)
  }
}
