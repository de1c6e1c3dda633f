// The link by which the owner of an account sets a new password when the old one is forgotten. An
// operator makes it and hands it over, since the program sends no mail.
import { type Database, each } from '../database/database.ts'
import { findAccount } from './accounts.ts'
import { type AccountLink, renewPasswordLink } from './links.ts'
import { lockAccounts } from './lock-accounts.ts'

/**
 * Makes the one link that is valid for this; `token` is the only time anybody sees it. Undefined when
 * there is no such account.
 */
export async function makePasswordLink(
  database: Database,
  accountId: string,
  createdBy: string | undefined,
  now: number,
): Promise<{ link: AccountLink; token: string } | undefined> {
  return await database.write(making, { accountId, createdBy, now })
}

interface Making {
  accountId: string
  createdBy: string | undefined
  now: number
}

const making = each(async (session, { accountId, createdBy, now }: Making) => {
  await lockAccounts(session)
  const account = await findAccount(session, accountId)
  if (!account) return undefined
  return await renewPasswordLink(session, { accountId, createdBy, email: account.email }, now)
})
