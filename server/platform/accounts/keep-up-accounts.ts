// Sessions, links and access tokens are forgotten 30 days after their end, and counts of attempts once
// they are nought again, so that what is kept of people does not grow for ever.
import { forgetWholeAllowances } from '../allowances/spend-allowance.ts'
import { each, findOne } from '../database/database.ts'
import type { AccountContext } from './account-context.ts'
import { lockAccounts } from './lock-accounts.ts'
import { prepareQuery } from './tables.ts'

const keptMs = 30 * 24 * 60 * 60_000

const tables = ['sessions', 'account_links', 'access_tokens'] as const

const parts = tables.map((table) => ({
  find: prepareQuery<{ before: number }>()((db, param) =>
    db.selectFrom(table).select('id').where('expires_at', '<', param('before')).limit(1),
  ),
  forget: prepareQuery<{ before: number }>()((db, param) =>
    db.deleteFrom(table).where('expires_at', '<', param('before')),
  ),
}))

/** To be called now and then. */
export async function keepUpAccounts(
  { allowances, database }: Pick<AccountContext, 'allowances' | 'database'>,
  now: number,
): Promise<void> {
  await forgetWholeAllowances(allowances, now)
  const before = now - keptMs
  const found = await Promise.all(parts.map(({ find }) => findOne(database.read, find, { before })))
  // Mostly there is nothing, and nothing to write.
  if (found.some((row) => row !== undefined)) await database.write(forgetting, before)
}

const forgetting = each(async (session, before: number) => {
  await lockAccounts(session)
  for (const { forget } of parts) await session.all(forget, { before })
})
