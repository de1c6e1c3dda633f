// The operations of an operator on an environment as a whole, as the management API declares them.
import { declareOperations } from '#kit/management/operation.ts'
import { StagingReset, StoreEnvironment } from './schema.ts'

export const operations = declareOperations(
  { tag: 'store', access: 'operator' },
  {
    resetStaging: {
      route: 'POST /store/staging/reset',
      summary: 'Reset staging to its sample animals',
      description:
        'Removes all other animals, categories and orders of staging. Keys and webhooks stay. Ids that were given are not given again.',
      scope: 'store:write',
      returns: StagingReset,
    },
    getEnvironment: {
      route: 'GET /store/{environment}',
      summary: 'Get an environment with its counts',
      scope: 'store:read',
      returns: StoreEnvironment,
      errors: ['route_not_found'],
    },
  },
)
