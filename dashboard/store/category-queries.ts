// What the pages ask about categories, and what they let happen to them.
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Category, Page } from '../../server/store/operators/schema.ts'
import { ask, path } from '../platform/api.ts'
import type { EnvironmentName } from '../shell/navigation.tsx'
import { environmentKey } from './environment-queries.ts'

export type { Category }

const categoriesKey = (environment: EnvironmentName) => [
  ...environmentKey(environment),
  'categories',
]

export function useCategories(environment: EnvironmentName, query: string) {
  return useQuery({
    queryKey: [...categoriesKey(environment), query],
    queryFn: ({ signal }) =>
      ask<Page<Category>>(`${path`GET /store/${environment}/categories`}${query}`, {
        signal,
      }),
    placeholderData: keepPreviousData,
  })
}

/** The names of the first hundred by their numbers as text: an aid; numbers alone do, too. */
export function useCategoryNames(environment: EnvironmentName): ReadonlyMap<string, string> {
  const known = useCategories(environment, '?limit=100').data?.items ?? []
  return new Map(known.map(({ id, name }) => [String(id), name]))
}

export function useAddCategory(environment: EnvironmentName) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) =>
      ask<Category>(path`POST /store/${environment}/categories`, { body: { name } }),
    onSuccess: () => client.invalidateQueries({ queryKey: environmentKey(environment) }),
  })
}

export function useRenameCategory(environment: EnvironmentName) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, name }: { id: number; name: string }) =>
      ask<Category>(path`PATCH /store/${environment}/categories/${String(id)}`, { body: { name } }),
    onSuccess: () => client.invalidateQueries({ queryKey: environmentKey(environment) }),
  })
}

export function useDeleteCategory(environment: EnvironmentName) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: number) => ask(path`DELETE /store/${environment}/categories/${String(id)}`),
    onSuccess: () => client.invalidateQueries({ queryKey: environmentKey(environment) }),
  })
}
