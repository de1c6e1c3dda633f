// Deletes sessions, links and access tokens 30 days after they expired, and unused rate limit counts, so
// that stored personal data does not grow without limit.
import { deleteWholeAllowances } from '../allowances/spend-allowance.ts'
import { oldRowsOf } from '../jobs/delete-old-rows.ts'
import type { AccountContext } from './account-context.ts'
import { lockAccounts } from './lock-accounts.ts'
import type { AccountTables } from './tables.ts'

const keptMs = 30 * 24 * 60 * 60_000

const deletions = (['sessions', 'account_links', 'access_tokens'] as const).map((table) =>
  oldRowsOf<AccountTables>()({
    table,
    key: ['id'],
    time: 'expires_at',
    keptMs,
    lock: lockAccounts,
  }),
)

/** To be called regularly. */
export async function keepUpAccounts(
  { allowances, database }: Pick<AccountContext, 'allowances' | 'database'>,
  now: number,
): Promise<void> {
  await deleteWholeAllowances(allowances, now)
  for (const deleteExpired of deletions) await deleteExpired(database, now)
}
