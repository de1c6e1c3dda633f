// The operations of an operator on an environment as a whole: call, reply.
import type { Database } from '#kit/database/database.ts'
import { type Route, route } from '#kit/management/route.ts'
import { type ByEnvironment, getEnvironmentName } from '../database/environment-name.ts'
import { readState } from '../database/state.ts'
import { resetSamples } from './first-start.ts'
import { operations } from './operations.ts'

interface EnvironmentsContext {
  databases: ByEnvironment<Database>
  /** Base addresses, without a slash at the end. */
  addresses: ByEnvironment<string>
  /** The rate limit of keys without one of their own, such as `600/60s`; undefined when there is none. */
  standardLimit: string | undefined
}

export function environmentRoutes(context: EnvironmentsContext): Route[] {
  const { addresses, databases, standardLimit } = context
  return [
    route(operations.resetStaging, async () => ({
      animals: await resetSamples(databases.staging),
    })),
    route(operations.getEnvironment, async ({ params }) => {
      const name = getEnvironmentName(params)
      const state = await readState(databases[name].read)
      const { available, pending, sold } = numbers(state, ['available', 'pending', 'sold'])
      const states = ['placed', 'approved', 'delivered', 'cancelled'] as const
      const { placed, approved, delivered, cancelled } = numbers(state, states)
      return {
        name,
        baseUrl: addresses[name],
        rateLimit: standardLimit ?? null,
        animals: { total: available + pending + sold, available, pending, sold },
        categories: Number(state.categories),
        orders: {
          total: placed + approved + delivered + cancelled,
          placed,
          approved,
          delivered,
          cancelled,
        },
        activeWebhooks: Number(state.active_webhooks),
      }
    }),
  ]
}

function numbers<Name extends string>(
  from: Record<Name, bigint>,
  names: readonly Name[],
): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, Number(from[name])])) as Record<Name, number>
}
