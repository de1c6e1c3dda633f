// Accounts in one process: who a request comes from, the operations, and what is kept up beside them.
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import type { ApiRequest } from '../http/request/request-head.ts'
import type { Caller } from '../management/caller.ts'
import type { Route } from '../management/route.ts'
import type { AccountContext } from './account-context.ts'
import { createAccountAuthenticator } from './authenticator.ts'
import { keepUpAccounts } from './keep-up-accounts.ts'
import { createPasswords } from './passwords.ts'
import { accountRoutes } from './routes.ts'

export interface Accounts {
  /** Part of the management API. */
  routes: Route[]
  /** Who sent a request; undefined where it says nobody. Throws `invalid_token`. */
  authenticate(request: ApiRequest): Promise<Caller | undefined>
  /** Forgets what is old. */
  keepUp(): Promise<void>
}

export interface AccountParts {
  config: Config
  database: Database
  allowances: Database
  clock: Clock
  ownsProjects: AccountContext['ownsProjects']
}

/** Opens the accounts of a database that has been prepared. */
export function openAccounts({ config, ...parts }: AccountParts): Accounts {
  const { clock } = parts
  const context = { ...parts, dashboardUrl: config.dashboardUrl, passwords: createPasswords() }
  return {
    routes: accountRoutes(context),
    authenticate: createAccountAuthenticator(context),
    keepUp: () => keepUpAccounts(parts, clock()),
  }
}
