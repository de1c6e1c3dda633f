// Limits what can be guessed, and orders the attempts that wait. Sign-ins are counted per account and network, per network, and
// per account from everywhere; unknown accounts in the same way, so that the counts reveal nothing. The last limit does
// not apply to networks that the owner has signed in from, nor to passwords that many people know: others cannot lock the
// owner out. Clients that a proxy does not name are counted per account only: one of them cannot lock out the others.
// Failed sign-ins are in the audit log, a bounded number for each account and network.
import {
  refundAllowance,
  requireAllowance,
  spendAllowance,
} from '#kit/allowances/spend-allowance.ts'
import { recordAudit } from '#kit/audit/record-audit.ts'
import type { RateLimit } from '#kit/config/parse-variable.ts'
import type { Database, Session } from '#kit/database/database.ts'
import { locked } from '#kit/database/transactions.ts'
import { AppError, rateLimited } from '#kit/errors.ts'
import { hashSecret } from '#kit/identifiers.ts'
import { networkOf } from '#kit/network/addresses.ts'
import { unknownAddress } from '#kit/network/client-addresses.ts'
import type { AccountContext } from '../people/account-context.ts'
import { type StoredAccount, targetOf } from '../people/accounts.ts'
import type { Applicant } from '../people/passwords.ts'
import { listAddresses } from '../sessions/sessions.ts'
import { isCode, withoutSpaces } from './one-time-code.ts'

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
  const addresses = await listAddresses(session, accountId ?? '')
  return addresses.some((each) => each !== unknownAddress && networkOf(each) === network)
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
  const account = `sign-in ${hashed(target)}`
  const network = address === unknownAddress ? undefined : networkOf(address)
  const counters: [key: string, limit: RateLimit][] = []
  if (network !== undefined) {
    counters.push([`sign-in from ${network}`, limits.network])
    counters.push([`${account} from ${network}`, limits.pair])
  }
  if (!isForMany || network === undefined) counters.push([account, limits.target])
  const spent: typeof counters = []
  const refund = async (): Promise<void> => {
    for (const [key, limit] of spent.splice(0)) await refundAllowance(allowances, key, limit)
  }
  for (const [key, limit] of counters) {
    const { isSpent, retryInSeconds } = await spendAllowance(allowances, key, limit)
    if (isSpent) spent.push([key, limit])
    else if (limit !== limits.target || !isKnown) {
      // A refused attempt reveals nothing.
      await refund()
      throw rateLimited('Too many failed attempts. Try again later.', retryInSeconds)
    }
  }
  return refund
}

const hashed = (target: string): string => hashSecret(target).slice(0, 32)

/** Wrong codes of an account, of each kind: a guess succeeds with a chance of 1 in 16,000 each day. */
const codeLimit = { requests: 20, windowSeconds: 24 * 3600 }

interface CodeAttempt {
  accountId: string
  code: string | undefined
  /** The client's IP address, or `unknownAddress`. */
  address: string
  /** The client has a password link of the account. */
  isByLink?: true
}

/**
 * Limits codes of a second factor: with the password known, six digits could be guessed. Recovery codes have 80 bits and
 * are not counted. A person who knows only the password cannot lock the owner out: wrong codes are counted apart for each
 * network that the owner has signed in from, and for password links. Runs `attempt`, which throws what is wrong. A wrong
 * code counts; at the limit, it throws `rate_limited` without running it. Without a code, and for a recovery code,
 * nothing is counted.
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
    const message = 'Too many wrong codes. Try again later, or enter a recovery code.'
    await requireAllowance(allowances, key, codeLimit, message)
  }
  let isWrong = false
  try {
    return await attempt()
  } catch (error) {
    isWrong = error instanceof AppError && error.code === 'invalid_code'
    throw error
  } finally {
    if (isCounted && !isWrong) await refundAllowance(allowances, key, codeLimit)
  }
}

/** Entries of an account: from one network, and from everywhere. All addresses without an account count as one. */
const entryLimits = {
  network: { requests: 5, windowSeconds: 3600 },
  account: { requests: 20, windowSeconds: 3600 },
} as const satisfies Record<string, RateLimit>

const reasons: Partial<Record<AppError['code'], string>> = {
  invalid_credentials: 'password',
  invalid_code: 'code',
}

/**
 * Records an attempt that failed because of its password or its code. An attempt at an address without an account takes the
 * same steps, so that the time of a response tells nothing; its address is not recorded.
 */
export async function recordFailedSignIn(
  { allowances, clock, database }: AccountContext,
  account: StoredAccount | undefined,
  address: string,
  { code }: AppError,
): Promise<void> {
  const reason = reasons[code]
  if (reason === undefined) return
  const now = clock()
  const network = address === unknownAddress ? address : networkOf(address)
  const key = `failed sign-in to ${account?.id ?? 'none'}`
  const isSpent = async (name: string, limit: RateLimit): Promise<boolean> =>
    (await spendAllowance(allowances, name, limit)).isSpent
  if (!(await isSpent(`${key} from ${network}`, entryLimits.network))) return
  if (!(await isSpent(key, entryLimits.account))) return
  await record(database, account, { address, at: now, reason })
}

const record = locked(
  async (
    session,
    account: StoredAccount | undefined,
    { address, at, reason }: { address: string; at: number; reason: string },
  ) => {
    const none = { actorId: null, actorName: 'not signed in', credentialId: null }
    const origin = { ...none, at, via: 'session', address } as const
    const target = account ? targetOf(account) : { id: '', name: 'no account' }
    await recordAudit(session, origin, 'session.failed', target, { reason })
  },
)
