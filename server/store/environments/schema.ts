// The wire shape of an environment as a whole.
import { type Static, Type } from 'typebox'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const limit = Type.Union([Type.String(), Type.Null()], {
  description: 'The rate limit of keys that have none of their own; null when there is none.',
})

export const StoreEnvironment = Type.Object(
  {
    name: Type.Enum(['production', 'staging'], { type: 'string' }),
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

export const StagingReset = Type.Object(
  { animals: count('How many sample animals there are now.') },
  { $id: 'StagingReset' },
)
