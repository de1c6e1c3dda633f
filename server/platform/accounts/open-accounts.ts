// Opens the accounts of a process: authentication, routes and regular cleanup.
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
  /** Routes for the management API. */
  routes: Route[]
  /** Returns the caller of a request; undefined without valid credentials. Throws `invalid_token`. */
  authenticate(request: ApiRequest): Promise<Caller | undefined>
  /** Deletes expired data. */
  keepUp(): Promise<void>
}

export interface AccountParts {
  config: Config
  database: Database
  allowances: Database
  clock: Clock
  ownsProjects: AccountContext['ownsProjects']
}

/** Opens the accounts of a prepared database. */
export function openAccounts({ config, ...parts }: AccountParts): Accounts {
  const { clock } = parts
  const context = { ...parts, dashboardUrl: config.dashboardUrl, passwords: createPasswords() }
  return {
    routes: accountRoutes(context),
    authenticate: createAccountAuthenticator(context),
    keepUp: () => keepUpAccounts(parts, clock()),
  }
}
