// Limits attempts at codes of a second factor: with the password known, six digits could be guessed. Recovery codes have 80
// bits and are not counted. A person who knows only the password cannot lock the owner out: wrong codes are counted apart
// for each network that the owner has signed in from, and for password links.
import { refundAllowance, spendAllowance } from '#kit/allowances/spend-allowance.ts'
import { AppError } from '#kit/errors.ts'
import { networkOf } from '#kit/network/network-of.ts'
import type { AccountContext } from './account-context.ts'
import { isCode, withoutSpaces } from './one-time-code.ts'
import { isKnownAddress } from './sign-in-limits.ts'

/** Wrong codes of an account, of each kind: a guess succeeds with a chance of 1 in 16,000 each day. */
const limit = { requests: 20, windowSeconds: 24 * 3600 }

interface CodeAttempt {
  accountId: string
  code: string | undefined
  /** The client's IP address, or `unknownAddress`. */
  address: string
  /** The client has a password link of the account. */
  isByLink?: true
}

/**
 * Runs `attempt`, which throws what is wrong. A wrong code counts; at the limit, it throws `rate_limited`
 * without running it. Without a code, and for a recovery code, nothing is counted.
 */
export async function withCodeAttempt<Outcome>(
  { allowances, database }: Pick<AccountContext, 'allowances' | 'database'>,
  { accountId, address, code, isByLink }: CodeAttempt,
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  const isCounted = code !== undefined && isCode(withoutSpaces(code))
  let key = `codes of ${accountId}`
  if (isByLink) key += ' by link'
  else if (isCounted && (await isKnownAddress(database.read, accountId, address)))
    key += ` from ${networkOf(address)}`
  if (isCounted) {
    const { isSpent, retryInSeconds } = await spendAllowance(allowances, key, limit)
    if (!isSpent) {
      const message = 'Too many wrong codes. Try again later, or enter a recovery code.'
      throw new AppError('rate_limited', message, {
        headers: { 'Retry-After': `${retryInSeconds}` },
      })
    }
  }
  let isWrong = false
  try {
    return await attempt()
  } catch (error) {
    isWrong = error instanceof AppError && error.code === 'invalid_code'
    throw error
  } finally {
    if (isCounted && !isWrong) await refundAllowance(allowances, key, limit)
  }
}
