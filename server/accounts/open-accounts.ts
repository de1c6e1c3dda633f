// Opens the accounts of a process: authentication, routes and regular cleanup.

import { deleteWholeAllowances } from '#kit/allowances/spend-allowance.ts'
import type { Clock } from '#kit/clock.ts'
import type { Config } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import { takeLock } from '#kit/database/transactions.ts'
import { oldRowsOf } from '#kit/jobs/delete-old-rows.ts'
import { createMailSender } from '#kit/mail/send-mail.ts'
import { bindRoutes } from '#kit/management/route.ts'
import type { Secrets } from '#kit/secrets.ts'
import type { AccountContext } from './account-context.ts'
import { createAccountAuthenticator } from './authenticator.ts'
import { deleteUsedChallenges } from './challenges.ts'
import { emailRoutes } from './email-routes.ts'
import { memberRoutes } from './member-routes.ts'
import { ownAccountRoutes } from './own-account-routes.ts'
import { passkeyRoutes } from './passkey-routes.ts'
import { createPasswords, type PasswordOptions } from './passwords.ts'
import { secondFactorRoutes } from './second-factor-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import type { AccountTables } from './tables.ts'

interface AccountParts {
  config: Config
  database: Database
  allowances: Database
  clock: Clock
  secrets: Secrets
  ownsProjects: AccountContext['ownsProjects']
  nameProjects: AccountContext['nameProjects']
  hashing?: PasswordOptions | undefined
}

/** Opens the accounts of a prepared database. */
export function openAccounts({ config, hashing, ...parts }: AccountParts) {
  const { clock } = parts
  const { dashboardUrl, mail, secondFactor } = config
  const sendMail = mail && createMailSender(mail)
  const context = {
    ...parts,
    dashboardUrl,
    secondFactor,
    sendMail,
    passwords: createPasswords(hashing),
  }
  return {
    context,
    /** Hashes them: one queue for the process. */
    passwords: context.passwords,
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

const deletePendingEmails = oldRowsOf<AccountTables>()({
  table: 'pending_emails',
  key: ['account_id'],
  time: 'requested_at',
  keptMs,
  lock: takeLock,
})

const deletions = (['sessions', 'account_links', 'access_tokens'] as const).map((table) =>
  oldRowsOf<AccountTables>()({
    table,
    key: ['id'],
    time: 'expires_at',
    keptMs,
    lock: takeLock,
  }),
)

/** Deletes sessions, links and access tokens 30 days after they expired, and unused rate limit counts. */
export async function deleteExpired(
  { allowances, database }: Pick<AccountContext, 'allowances' | 'database'>,
  now: number,
): Promise<void> {
  await deleteWholeAllowances(allowances)
  await deleteUsedChallenges(database, now)
  await deletePendingEmails(database, now)
  for (const deleteOldRows of deletions) await deleteOldRows(database, now)
}
