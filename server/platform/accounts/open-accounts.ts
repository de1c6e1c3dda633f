// Opens the accounts of a process: authentication, routes and regular cleanup.
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { AccountContext } from './account-context.ts'
import { createAccountAuthenticator } from './authenticator.ts'
import { keepUpAccounts } from './keep-up-accounts.ts'
import { createPasswords } from './passwords.ts'
import { accountRoutes } from './routes.ts'

export interface AccountParts {
  config: Config
  database: Database
  allowances: Database
  clock: Clock
  ownsProjects: AccountContext['ownsProjects']
}

/** Opens the accounts of a prepared database. */
export function openAccounts({ config, ...parts }: AccountParts) {
  const { clock } = parts
  const context = { ...parts, dashboardUrl: config.dashboardUrl, passwords: createPasswords() }
  return {
    /** Routes for the management API. */
    routes: accountRoutes(context),
    /** Returns the caller of a request; undefined without valid credentials. Throws `invalid_token`. */
    authenticate: createAccountAuthenticator(context),
    /** Deletes expired data. */
    keepUp: () => keepUpAccounts(parts, clock()),
  }
}
