// What comes before serving: as long as there is no operator, the link by which the first one makes an
// account. Its token is kept nowhere, so each start makes another, and the one before stops working.
import { type Database, each } from '../database/database.ts'
import { hasOperator } from './accounts.ts'
import { renewSetUpLink } from './links.ts'
import { lockAccounts } from './lock-accounts.ts'

/** Gives the token of the one set-up link that is valid; undefined once there is an operator. */
export async function prepareAccounts(
  database: Database,
  now: number,
): Promise<string | undefined> {
  return await database.write(preparing, now)
}

const preparing = each(async (session, now: number): Promise<string | undefined> => {
  await lockAccounts(session)
  return (await hasOperator(session)) ? undefined : await renewSetUpLink(session, now)
})
