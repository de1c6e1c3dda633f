// Attempts to get in are counted: by the pair of account and address, by address, and by account from
// everywhere. Accounts that do not exist are counted alike, so that the counting tells nothing.
// The last count does not hold for an address that the account's owner has signed in from: nobody
// elsewhere can lock him out.
import { refundAllowance, spendAllowance } from '../allowances/spend-allowance.ts'
import type { RateLimit } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { AppError } from '../errors.ts'
import { networkOf } from '../network/network-of.ts'
import { hashSecret } from '../secret-text.ts'

export interface Attempt {
  /** What is tried, such as the key of an e-mail address; it is kept as a hash. */
  target: string
  /** Where it is tried from. */
  address: string
  /** Whether the target's owner is known to use this network; asked only when it matters. */
  isKnownNetwork?: (network: string) => Promise<boolean>
}

const quarter = 15 * 60
const limits = {
  network: { requests: 60, windowSeconds: quarter },
  pair: { requests: 10, windowSeconds: quarter },
  target: { requests: 100, windowSeconds: 3600 },
} as const satisfies Record<string, RateLimit>

interface Spent {
  key: string
  limit: RateLimit
}

/**
 * Counts an attempt. Throws `rate_limited` when there have been too many. What it gives takes the attempt
 * back: to be called when it succeeded, or nobody found out.
 */
export async function countAttempt(
  allowances: Database,
  { address, isKnownNetwork, target }: Attempt,
  now: number,
): Promise<() => Promise<void>> {
  const network = networkOf(address)
  const hashed = hashSecret(target).slice(0, 32)
  const spent: Spent[] = []
  const takeBack = async (): Promise<void> => {
    for (const { key, limit } of spent.splice(0)) await refundAllowance(allowances, key, limit)
  }
  /** Seconds until there is one again; undefined when it was spent. */
  const spend = async (key: string, limit: RateLimit): Promise<number | undefined> => {
    const { isSpent, retryInSeconds } = await spendAllowance(allowances, key, limit, now)
    if (!isSpent) return retryInSeconds
    spent.push({ key, limit })
    return undefined
  }
  let waitSeconds =
    (await spend(`sign-in from ${network}`, limits.network)) ??
    (await spend(`sign-in ${hashed} from ${network}`, limits.pair))
  if (waitSeconds === undefined) {
    waitSeconds = await spend(`sign-in ${hashed}`, limits.target)
    if (waitSeconds !== undefined && (await isKnownNetwork?.(network))) waitSeconds = undefined
  }
  if (waitSeconds !== undefined) {
    // A refused attempt told nobody anything.
    await takeBack()
    throw new AppError('rate_limited', 'Too many attempts have failed. Try again later.', {
      headers: { 'Retry-After': `${waitSeconds}` },
    })
  }
  return takeBack
}
