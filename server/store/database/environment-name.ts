// What the operations on the store work with, and how they find the environment that a path names.
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { AppError } from '../../platform/errors.ts'
import type { Destinations } from '../../platform/network/http-client.ts'
import type { Secrets } from '../../platform/secrets.ts'

export interface StoreManagement {
  databases: Record<EnvironmentName, Database>
  /** Base addresses, without a slash at the end. */
  addresses: Record<EnvironmentName, string>
  secrets: Secrets
  /** Where webhooks may go. */
  destinations: Destinations
  /** The rate limit of a key that has none of its own, such as `600/60s`; undefined when there is none. */
  standardLimit: string | undefined
  clock: Clock
}

export const environmentNames = ['production', 'staging'] as const
export type EnvironmentName = (typeof environmentNames)[number]

/** The environment of a path. Throws `route_not_found` for what is none. */
export function getEnvironmentName({ environment }: { environment: string }): EnvironmentName {
  const name = environmentNames.find((known) => known === environment)
  if (name) return name
  const message = `There is no environment of this name: it is ${environmentNames.join(' or ')}.`
  throw new AppError('route_not_found', message)
}
