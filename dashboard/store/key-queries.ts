// The queries and changes of API keys.
import { useInfiniteQuery } from '@tanstack/react-query'
import type { Answer, Body } from '../../client/management-client.ts'
import { call } from '../platform/api.ts'
import type { EnvironmentName } from '../platform/environment.ts'
import { useChange } from '../platform/use-change.ts'
import { environmentKey } from './environment-queries.ts'

export type ApiKey = Answer<'PATCH /store/{environment}/keys/{keyId}'>
export type IssuedApiKey = Answer<'POST /store/{environment}/keys'>
export type KeyScope = ApiKey['scopes'][number]
type NewApiKey = Body<'POST /store/{environment}/keys'>
type ApiKeyPatch = Body<'PATCH /store/{environment}/keys/{keyId}'>

const keysKey = (environment: EnvironmentName) => [...environmentKey(environment), 'keys']

export function useKeys(environment: EnvironmentName) {
  return useInfiniteQuery({
    queryKey: keysKey(environment),
    queryFn: ({ pageParam: before }) =>
      call('GET /store/{environment}/keys', {
        params: { environment },
        query: { limit: 50, before },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    // For the time of last use.
    refetchInterval: 30_000,
  })
}

export const useCreateKey = (environment: EnvironmentName) =>
  useChange(
    (body: NewApiKey) => call('POST /store/{environment}/keys', { params: { environment }, body }),
    keysKey(environment),
  )

export const useChangeKey = (environment: EnvironmentName) =>
  useChange(
    ({ id: keyId, ...body }: ApiKeyPatch & { id: string }) =>
      call('PATCH /store/{environment}/keys/{keyId}', { params: { environment, keyId }, body }),
    keysKey(environment),
  )

export const useRotateKey = (environment: EnvironmentName) =>
  useChange(
    ({ id: keyId, overlapSeconds }: { id: string; overlapSeconds: number }) =>
      call('POST /store/{environment}/keys/{keyId}/rotate', {
        params: { environment, keyId },
        body: { overlapSeconds },
      }),
    keysKey(environment),
  )

export const useRevokeKey = (environment: EnvironmentName) =>
  useChange(
    (keyId: string) =>
      call('DELETE /store/{environment}/keys/{keyId}', { params: { environment, keyId } }),
    keysKey(environment),
  )
