// The queries of an environment as a whole, and the reset of staging.
import { useQuery } from '@tanstack/react-query'
import { call } from '../platform/api.ts'
import type { EnvironmentName } from '../platform/environment.ts'
import { useChange } from '../platform/use-change.ts'

/** The keys of all queries of an environment begin with it. */
export const environmentKey = (environment: EnvironmentName) => ['store', environment]

export function useEnvironmentState(environment: EnvironmentName) {
  return useQuery({
    queryKey: [...environmentKey(environment), 'state'],
    queryFn: () => call('GET /store/{environment}', { params: { environment } }),
  })
}

export const useResetStaging = () =>
  useChange(() => call('POST /store/staging/reset'), environmentKey('staging'))
