// Declares operations of operators on an environment of the store. It loads what all operations need; names alone
// (environment-name.ts) load nothing.

import type { Clock } from '#kit/clock.ts'
import type { Database } from '#kit/database/database.ts'
import { type Operation, routesOf } from '#kit/management/route.ts'
import { type ByEnvironment, type EnvironmentName, getEnvironmentName } from './environment-name.ts'

export interface EnvironmentsContext {
  clock: Clock
  databases: ByEnvironment<Database>
}

/**
 * Makes the function that declares operations of operators on the environment that `{environment}` names. Their handlers
 * get it with its database, and the origin of the change that they may make.
 */
export function environmentRoutesOf<Context extends EnvironmentsContext>(tag: Operation['tag']) {
  type Prepared = { database: Database; environment: EnvironmentName }
  return routesOf<Context, 'operator', object, Prepared>({
    tag,
    access: 'operator',
    errors: ['route_not_found'],
    async prepare({ params }, { databases }) {
      const environment = getEnvironmentName(params)
      return { database: databases[environment], environment }
    },
  })
}
