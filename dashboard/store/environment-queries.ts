// What the pages ask about an environment as a whole, and the reset of staging.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { StoreEnvironment } from '../../server/store/environments/schema.ts'
import { ask, path } from '../platform/api.ts'
import type { EnvironmentName } from '../shell/navigation.tsx'

/** All that is remembered of an environment is below it. */
export const environmentKey = (environment: EnvironmentName) => ['store', environment]

export function useEnvironmentState(environment: EnvironmentName) {
  return useQuery({
    queryKey: [...environmentKey(environment), 'state'],
    queryFn: () => ask<StoreEnvironment>(path`GET /store/${environment}`),
  })
}

export function useResetStaging() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => ask<{ animals: number }>('POST /store/staging/reset'),
    onSuccess: () => client.invalidateQueries({ queryKey: environmentKey('staging') }),
  })
}
