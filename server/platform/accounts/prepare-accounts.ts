// Before serving: while there is no operator, creates the set-up link for the first account. Its token is
// not stored, so each start creates a new link, and the previous one stops working.
import { type Database, each } from '../database/database.ts'
import { hasOperator } from './accounts.ts'
import { renewSetUpLink } from './links.ts'
import { lockAccounts } from './lock-accounts.ts'

/** Returns the token of the new set-up link; undefined once there is an operator. */
export async function prepareAccounts(
  database: Database,
  now: number,
): Promise<string | undefined> {
  return await database.write(prepareAccountsTransaction, now)
}

const prepareAccountsTransaction = each(
  async (session, now: number): Promise<string | undefined> => {
    await lockAccounts(session)
    return (await hasOperator(session)) ? undefined : await renewSetUpLink(session, now)
  },
)
