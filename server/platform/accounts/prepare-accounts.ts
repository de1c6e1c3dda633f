// Before serving: while there is no operator, creates the set-up link for the first account. Its token is
// not stored, so each start creates a new link, and the previous one stops working.
import { hasOperator } from './accounts.ts'
import { renewSetUpLink } from './links.ts'
import { transaction } from './lock-accounts.ts'

/** Returns the token of the new set-up link; undefined once there is an operator. */
export const prepareAccounts = transaction(async (session, now: number) =>
  (await hasOperator(session)) ? undefined : await renewSetUpLink(session, now),
)
