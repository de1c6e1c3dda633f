// Opens the accounts of a process: authentication, routes and regular cleanup.

import { deleteWholeAllowances } from '#kit/allowances/spend-allowance.ts'
import type { Config } from '#kit/config/config.ts'
import { takeLock } from '#kit/database/transactions.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { createMailSender } from '#kit/mail/send-mail.ts'
import { bindRoutes } from '#kit/management/route.ts'
import { emailRoutes } from './operations/change-email.ts'
import { memberRoutes } from './operations/member-routes.ts'
import { ownAccountRoutes } from './operations/own-account.ts'
import { passkeyRoutes } from './operations/passkey-routes.ts'
import { secondFactorRoutes } from './operations/second-factor-routes.ts'
import { sessionRoutes } from './operations/session-routes.ts'
import type { AccountContext } from './people/account-context.ts'
import { createPasswords, type PasswordOptions } from './people/passwords.ts'
import type { AccountTables } from './people/tables.ts'
import { createAccountAuthenticator } from './sessions/authenticator.ts'
import { deleteUsedChallenges } from './sign-in/challenges.ts'

type AccountParts = Pick<
  AccountContext,
  'allowances' | 'clock' | 'database' | 'nameProjects' | 'ownsProjects' | 'secrets'
> & { config: Config; hashing?: PasswordOptions | undefined }

/** Opens the accounts of a prepared database. */
export function openAccounts({ config, hashing, ...parts }: AccountParts) {
  const { clock } = parts
  const { dashboardUrl, mail, secondFactor } = config
  const sendMail = mail && createMailSender(mail)
  const passwords = createPasswords(hashing)
  const context = { ...parts, dashboardUrl, secondFactor, sendMail, passwords }
  return {
    context,
    /** Routes for the management API. */
    routes: bindRoutes(accountRoutes, context),
    /** Returns the caller of a request; undefined without valid credentials. Throws `invalid_token`. */
    authenticate: createAccountAuthenticator(context),
    deleteExpired: () => deleteExpired(parts, clock()),
  }
}

/** All operations on accounts in the management API. */
export const accountRoutes = [
  ...sessionRoutes,
  ...ownAccountRoutes,
  ...emailRoutes,
  ...secondFactorRoutes,
  ...passkeyRoutes,
  ...memberRoutes,
] as const

const keptMs = 30 * 24 * 60 * 60_000

const oldRows = oldRowsOf<AccountTables>()
const deletions = [
  deleteUsedChallenges,
  oldRows({
    table: 'pending_emails',
    key: ['account_id'],
    time: 'requested_at',
    keptMs,
    lock: takeLock,
  }),
  ...(['sessions', 'account_links', 'access_tokens'] as const).map((table) =>
    oldRows({ table, key: ['id'], time: 'expires_at', keptMs, lock: takeLock }),
  ),
]

/** Deletes sessions, links and access tokens 30 days after they expired, and unused rate limit counts. */
export async function deleteExpired(
  { allowances, database }: Pick<AccountContext, 'allowances' | 'database'>,
  now: number,
): Promise<void> {
  await deleteWholeAllowances(allowances)
  for (const deleteOldRows of deletions) await deleteOldRows(database, now)
}
