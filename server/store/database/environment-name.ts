// The environments of the store: each has a database, keys and a base address of its own.
import type { Clock } from '#kit/clock.ts'
import type { Database } from '#kit/database/database.ts'
import { AppError } from '#kit/errors.ts'
import { type Operation, routesOf } from '#kit/management/route.ts'

export const environmentNames = ['production', 'staging'] as const
export type EnvironmentName = (typeof environmentNames)[number]
export type ByEnvironment<T> = Record<EnvironmentName, T>

/** The environment that a path names. Throws `route_not_found`. */
export function getEnvironmentName({ environment }: { environment?: string }): EnvironmentName {
  const name = environmentNames.find((known) => known === environment)
  if (name) return name
  const message = `Unknown environment. Use ${environmentNames.join(' or ')}.`
  throw new AppError('route_not_found', message)
}

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
