// What the pages ask about API keys, and what they let happen to them.
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import type { ApiKey } from '../../server/store/keys/schema.ts'
import { ask, path } from '../platform/api.ts'
import type { EnvironmentName } from '../shell/navigation.tsx'
import { environmentKey } from './environment-queries.ts'

export type { ApiKey }
export type IssuedApiKey = ApiKey & { key: string }

export interface KeyInput {
  label: string
  /** All without it. */
  scopes?: string[]
  expiresAt?: string
  rateLimit?: string
}

const keysKey = (environment: EnvironmentName) => [...environmentKey(environment), 'keys']

interface Keys {
  items: ApiKey[]
  next: string | null
}

export function useKeys(environment: EnvironmentName) {
  return useInfiniteQuery({
    queryKey: keysKey(environment),
    queryFn: ({ pageParam }) =>
      ask<Keys>(
        `${path`GET /store/${environment}/keys`}?limit=50${pageParam && `&before=${encodeURIComponent(pageParam)}`}`,
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    // When a key was last used moves by itself.
    refetchInterval: 30_000,
  })
}

function useKeyChange<Input, Answer>(
  environment: EnvironmentName,
  mutationFn: (input: Input) => Promise<Answer>,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: keysKey(environment) }),
    // A key that was shown is not remembered.
    gcTime: 0,
  })
}

export const useCreateKey = (environment: EnvironmentName) =>
  useKeyChange(environment, (body: KeyInput) =>
    ask<IssuedApiKey>(path`POST /store/${environment}/keys`, { body }),
  )

export interface KeyChange {
  id: string
  label: string
  rateLimit: string | null
}

export const useChangeKey = (environment: EnvironmentName) =>
  useKeyChange(environment, ({ id, ...body }: KeyChange) =>
    ask<ApiKey>(path`PATCH /store/${environment}/keys/${id}`, { body }),
  )

export const useRotateKey = (environment: EnvironmentName) =>
  useKeyChange(environment, ({ id, overlapSeconds }: { id: string; overlapSeconds: number }) =>
    ask<IssuedApiKey>(path`POST /store/${environment}/keys/${id}/rotate`, {
      body: { overlapSeconds },
    }),
  )

export const useRevokeKey = (environment: EnvironmentName) =>
  useKeyChange(environment, (id: string) => ask(path`DELETE /store/${environment}/keys/${id}`))
