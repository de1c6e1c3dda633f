// What the pages ask about animals, and what they let happen to them.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Animal, Page } from '../../server/store/operators/schema.ts'
import { ask, path } from '../platform/api.ts'
import type { EnvironmentName } from '../shell/navigation.tsx'
import { environmentKey } from './environment-queries.ts'

export type { Animal }
export type AnimalStatus = Animal['status']
export const statuses: AnimalStatus[] = ['available', 'pending', 'sold']

/** What the fields of a form hold: any of it may be wrong, which the server says. */
export interface AnimalInput {
  name?: string
  categoryId?: bigint | string | undefined
  status?: AnimalStatus
}

/** `query` with its question mark. */
export function useAnimals(environment: EnvironmentName, query: string) {
  return useQuery({
    queryKey: [...environmentKey(environment), 'animals', query],
    queryFn: ({ signal }) =>
      ask<Page<Animal>>(`${path`GET /store/${environment}/animals`}${query}`, { signal }),
    placeholderData: keepPreviousData,
  })
}

/** One animal, or a Refusal; not asked without an id. */
export function useAnimal(environment: EnvironmentName, id: string) {
  return useQuery({
    queryKey: [...environmentKey(environment), 'animal', id],
    queryFn: ({ signal }) => ask<Animal>(path`GET /store/${environment}/animals/${id}`, { signal }),
    enabled: /^\d+$/.test(id),
  })
}

export function useAddAnimal(environment: EnvironmentName) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: AnimalInput) =>
      ask<Animal>(path`POST /store/${environment}/animals`, { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: environmentKey(environment) }),
  })
}

export interface AnimalChange {
  id: number
  /** Only if it is still this one. */
  version?: string
  body: AnimalInput
}

export function useChangeAnimal(environment: EnvironmentName) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ body, id, version }: AnimalChange) =>
      ask<Animal>(path`PATCH /store/${environment}/animals/${String(id)}`, {
        body,
        headers: version === undefined ? {} : { 'If-Match': `"${version}"` },
      }),
    onSettled: () => client.invalidateQueries({ queryKey: environmentKey(environment) }),
  })
}

export function useDeleteAnimal(environment: EnvironmentName) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: number) => ask(path`DELETE /store/${environment}/animals/${String(id)}`),
    onSuccess: () => client.invalidateQueries({ queryKey: environmentKey(environment) }),
  })
}
