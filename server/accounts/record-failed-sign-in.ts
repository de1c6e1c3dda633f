// Failed sign-ins in the audit log: bounded for each account and network, so that nobody can fill the log. An attempt
// at an address without an account takes the same steps, so that the time of a response tells nothing; its address is
// not recorded.

import { spendAllowance } from '#kit/allowances/spend-allowance.ts'
import { recordAudit } from '#kit/audit/record-audit.ts'
import type { RateLimit } from '#kit/config/parse-variable.ts'
import { locked } from '#kit/database/transactions.ts'
import type { AppError } from '#kit/errors.ts'
import { unknownAddress } from '#kit/network/client-addresses.ts'
import { networkOf } from '#kit/network/network-of.ts'
import type { AccountContext } from './account-context.ts'
import { type StoredAccount, targetOf } from './accounts.ts'

/** Entries of an account: from one network, and from everywhere. All addresses without an account count as one. */
const limits = {
  network: { requests: 5, windowSeconds: 3600 },
  account: { requests: 20, windowSeconds: 3600 },
} as const satisfies Record<string, RateLimit>

const reasons: Partial<Record<AppError['code'], string>> = {
  invalid_credentials: 'password',
  invalid_code: 'code',
}

/** Records an attempt that failed because of its password or its code. */
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
  if (!(await isSpent(`${key} from ${network}`, limits.network))) return
  if (!(await isSpent(key, limits.account))) return
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
