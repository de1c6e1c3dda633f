// The remaining attempts for a host at the first authority, for the API and the command line.
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { BudgetOfHost, ReadBudgetOfHost } from '../../domains/api/schema.ts'
import { internalDirectory } from '../authorities/authorities.ts'
import { type RemainingAttempts, readRateLimits } from './attempt-log.ts'
import { limitsOf } from './rate-limits.ts'

/** Undefined where no limits apply. */
export function createRateLimitReader(
  { read }: Pick<Database, 'read'>,
  clock: Clock,
  directory: string,
): ReadBudgetOfHost {
  return async ({ host, registrableDomain }) => {
    if (directory === internalDirectory) return undefined
    const account = { directory, host, registeredDomain: registrableDomain }
    const budget = await readRateLimits(read, account, limitsOf(directory), clock())
    return {
      failedValidations: shown(budget.failedValidations),
      certificatesOfHost: shown(budget.certificatesOfHost),
      certificatesOfDomain: shown(budget.certificatesOfDomain),
      orders: shown(budget.orders),
    }
  }
}

function shown(allowance: RemainingAttempts | undefined): BudgetOfHost['orders'] {
  if (!allowance) return null
  const { left, most, until } = allowance
  return { most, left, until: until === undefined ? null : new Date(until).toISOString() }
}
