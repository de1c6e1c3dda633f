// Limits sign-in attempts and orders those that wait. Attempts are counted per account and network, per network, and per
// account from everywhere; unknown accounts in the same way, so that the counts reveal nothing. The last limit does not
// apply to networks that the owner has signed in from, nor to passwords that many people know: others cannot lock the owner
// out. Clients that a proxy does not name are counted per account only: one of them cannot lock out the others.
import { refundAllowance, spendAllowance } from '#kit/allowances/spend-allowance.ts'
import type { RateLimit } from '#kit/config/parse-variable.ts'
import type { Database, Session } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { hashSecret } from '#kit/identifiers.ts'
import { unknownAddress } from '#kit/network/client-addresses.ts'
import { networkOf } from '#kit/network/network-of.ts'
import type { Applicant } from './passwords.ts'
import { listAddresses } from './sessions.ts'

export interface Attempt {
  /** What is tried, such as the key of an e-mail address. Only its hash is stored. */
  target: string
  /** The client's IP address, or `unknownAddress`. */
  address: string
  /** Whether the target's owner is known to use this network. */
  isKnown: boolean
  /** Many people may enter it, from networks that nobody knows: only what each network tries is limited. */
  isForMany?: true
}

const quarterHourSeconds = 15 * 60
const limits = {
  network: { requests: 60, windowSeconds: quarterHourSeconds },
  pair: { requests: 10, windowSeconds: quarterHourSeconds },
  target: { requests: 100, windowSeconds: 3600 },
} as const satisfies Record<string, RateLimit>

/** Whether the owner of the account has signed in from the network of this address. */
export async function isKnownAddress(
  session: Session,
  accountId: string | undefined,
  address: string,
): Promise<boolean> {
  if (address === unknownAddress) return false
  const network = networkOf(address)
  const known = await listAddresses(session, accountId ?? '')
  return known.some((each) => each !== unknownAddress && networkOf(each) === network)
}

/** The place of an attempt in the queue for hashing. */
export function applicantOf({ address, isKnown, target }: Attempt): Applicant {
  const network = address === unknownAddress ? `unknown ${hashed(target)}` : networkOf(address)
  return { network, isKnown }
}

/**
 * Counts an attempt. Throws `rate_limited` when there were too many. Returns a function that refunds the
 * attempt: call it when the attempt succeeded or its result was not revealed.
 */
export async function countAttempt(
  allowances: Database,
  { address, isForMany, isKnown, target }: Attempt,
): Promise<() => Promise<void>> {
  const spent: { key: string; limit: RateLimit }[] = []
  const refund = async (): Promise<void> => {
    for (const { key, limit } of spent.splice(0)) await refundAllowance(allowances, key, limit)
  }
  /** Seconds until the next attempt is allowed; undefined if this one was counted. */
  const spend = async (key: string, limit: RateLimit): Promise<number | undefined> => {
    const { isSpent, retryInSeconds } = await spendAllowance(allowances, key, limit)
    if (!isSpent) return retryInSeconds
    spent.push({ key, limit })
    return undefined
  }
  const account = `sign-in ${hashed(target)}`
  let waitSeconds: number | undefined
  if (address !== unknownAddress) {
    const network = networkOf(address)
    waitSeconds =
      (await spend(`sign-in from ${network}`, limits.network)) ??
      (await spend(`${account} from ${network}`, limits.pair))
  }
  if (waitSeconds === undefined && !(isForMany && address !== unknownAddress)) {
    waitSeconds = await spend(account, limits.target)
    if (isKnown) waitSeconds = undefined
  }
  if (waitSeconds !== undefined) {
    // A refused attempt reveals nothing.
    await refund()
    throw new AppError('rate_limited', 'Too many failed attempts. Try again later.', {
      headers: { 'Retry-After': `${waitSeconds}` },
    })
  }
  return refund
}

const hashed = (target: string): string => hashSecret(target).slice(0, 32)
