// The link for resetting a forgotten password. An operator creates it and sends it to the owner of the
// account: the program does not send it.
import { type Database, each } from '../database/database.ts'
import { findAccount } from './accounts.ts'
import { type AccountLink, renewPasswordLink } from './links.ts'
import { lockAccounts } from './lock-accounts.ts'

/**
 * Creates a link that replaces earlier ones. `token` is not stored. Undefined if the account does not
 * exist.
 */
export async function createPasswordLink(
  database: Database,
  accountId: string,
  createdBy: string | undefined,
  now: number,
): Promise<{ link: AccountLink; token: string } | undefined> {
  return await database.write(createPasswordLinkTransaction, { accountId, createdBy, now })
}

interface PasswordLinkRequest {
  accountId: string
  createdBy: string | undefined
  now: number
}

const createPasswordLinkTransaction = each(
  async (session, { accountId, createdBy, now }: PasswordLinkRequest) => {
    await lockAccounts(session)
    const account = await findAccount(session, accountId)
    if (!account) return undefined
    return await renewPasswordLink(session, { accountId, createdBy, email: account.email }, now)
  },
)
