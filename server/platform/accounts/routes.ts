// All operations on accounts, for the management API.
import type { Route } from '../management/route.ts'
import type { AccountContext } from './account-context.ts'
import { memberRoutes } from './member-routes.ts'
import { ownAccountRoutes } from './own-account-routes.ts'
import { sessionRoutes } from './session-routes.ts'

export function accountRoutes(context: AccountContext): Route[] {
  return [...sessionRoutes(context), ...ownAccountRoutes(context), ...memberRoutes(context)]
}
