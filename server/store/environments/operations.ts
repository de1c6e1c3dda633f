// The operations of an operator on an environment as a whole, as the management API declares them.
import { operation } from '../../platform/management/operation.ts'
import { StagingReset, StoreEnvironment } from './schema.ts'

const common = { tag: 'store', access: 'operator' } as const

export const resetStaging = operation({
  ...common,
  route: 'POST /store/staging/reset',
  operationId: 'resetStaging',
  summary: 'Reset staging to its sample animals',
  description:
    'Removes all other animals, categories and orders of staging. Keys and webhooks stay. Ids that were given are not given again.',
  scope: 'store:write',
  status: 200,
  answer: StagingReset,
  errors: [],
})

export const getEnvironment = operation({
  ...common,
  route: 'GET /store/{environment}',
  operationId: 'getEnvironment',
  summary: 'Get an environment with its counts',
  scope: 'store:read',
  status: 200,
  answer: StoreEnvironment,
  errors: ['route_not_found'],
})
