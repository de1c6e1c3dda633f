// The operations of operators on an environment as a whole.
import { type Static, Type } from 'typebox'
import type { Database } from '#kit/database/database.ts'
import { routesOf } from '#kit/management/route.ts'
import { count, words } from '#kit/schema/described-schema.ts'
import { type ByEnvironment, getEnvironmentName } from '../database/environment-name.ts'
import { readState } from '../database/state.ts'
import { resetSamples } from './first-start.ts'

interface EnvironmentsContext {
  databases: ByEnvironment<Database>
  /** Base addresses, without a slash at the end. */
  addresses: ByEnvironment<string>
  /** The rate limit of keys without one of their own, such as `600/60s`; undefined when there is none. */
  standardLimit: string | undefined
}

const limit = Type.Union([Type.String(), Type.Null()], {
  description: 'The rate limit of keys that have none of their own; null when there is none.',
})

export const StoreEnvironment = Type.Object(
  {
    name: words(['production', 'staging']),
    baseUrl: Type.String({ description: 'Base address of its API.' }),
    rateLimit: limit,
    animals: Type.Object({
      total: count('In all.'),
      available: count('To be ordered.'),
      pending: count('Held by an open order, or set manually.'),
      sold: count('Sold.'),
    }),
    categories: count('Categories.'),
    orders: Type.Object({
      total: count('In all.'),
      placed: count('Open.'),
      approved: count('Open, and approved.'),
      delivered: count('Delivered.'),
      cancelled: count('Cancelled.'),
    }),
    activeWebhooks: count('Active webhooks.'),
  },
  { $id: 'StoreEnvironment', description: 'An environment and its counts.' },
)
export type StoreEnvironment = Static<typeof StoreEnvironment>

const StagingReset = Type.Object(
  { animals: count('How many sample animals there are now.') },
  { $id: 'StagingReset' },
)

const route = routesOf<EnvironmentsContext>({ tag: 'store', access: 'operator' })

export const environmentRoutes = [
  route('POST /store/staging/reset', 'resetStaging', {
    summary: 'Reset staging to its sample animals',
    description:
      'Removes all other animals, categories and orders of staging. Keys and webhooks stay. Ids that were given are not given again.',
    scope: 'store:write',
    returns: StagingReset,
    handle: async (_, { databases }) => ({
      animals: await resetSamples(databases.staging),
    }),
  }),
  route('GET /store/{environment}', 'getEnvironment', {
    summary: 'Get an environment with its counts',
    scope: 'store:read',
    returns: StoreEnvironment,
    errors: ['route_not_found'],
    async handle({ params }, { addresses, databases, standardLimit }) {
      const name = getEnvironmentName(params)
      const state = await readState(databases[name].read)
      const counts = <Name extends keyof typeof state>(...names: Name[]) => {
        const counts = names.map((each) => [each, Number(state[each])] as const)
        const total = counts.reduce((sum, [, count]) => sum + count, 0)
        return { total, ...(Object.fromEntries(counts) as Record<Name, number>) }
      }
      return {
        name,
        baseUrl: addresses[name],
        rateLimit: standardLimit ?? null,
        animals: counts('available', 'pending', 'sold'),
        categories: Number(state.categories),
        orders: counts('placed', 'approved', 'delivered', 'cancelled'),
        activeWebhooks: Number(state.active_webhooks),
      }
    },
  }),
] as const
