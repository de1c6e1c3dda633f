// The environments of the store: each has a database, keys and a base address of its own.
import { AppError } from '#kit/errors.ts'

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
