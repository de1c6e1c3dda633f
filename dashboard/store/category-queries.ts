// The queries and changes of categories.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer, Query } from '../../client/management-client.ts'
import { call } from '../platform/api.ts'
import type { EnvironmentName } from '../platform/environment.ts'
import { useChange } from '../platform/use-change.ts'
import { environmentKey } from './environment-queries.ts'

export type Category = Answer<'POST /store/{environment}/categories'>
type CategoriesQuery = Query<'GET /store/{environment}/categories'>

export function useCategories(environment: EnvironmentName, query: CategoriesQuery) {
  return useQuery({
    queryKey: [...environmentKey(environment), 'categories', query],
    queryFn: ({ signal }) =>
      call('GET /store/{environment}/categories', { params: { environment }, query, signal }),
    placeholderData: keepPreviousData,
  })
}

/** The names of the first hundred categories by id. A category may lack a name, so others show their id. */
export function useCategoryNames(environment: EnvironmentName): ReadonlyMap<string, string> {
  const known = useCategories(environment, { limit: 100 }).data?.items ?? []
  return new Map(known.map(({ id, name }) => [String(id), name]))
}

export const useAddCategory = (environment: EnvironmentName) =>
  useChange(
    (name: string) =>
      call('POST /store/{environment}/categories', { params: { environment }, body: { name } }),
    environmentKey(environment),
  )

export const useRenameCategory = (environment: EnvironmentName) =>
  useChange(
    ({ id, name }: { id: number; name: string }) =>
      call('PATCH /store/{environment}/categories/{categoryId}', {
        params: { environment, categoryId: String(id) },
        body: { name },
      }),
    environmentKey(environment),
  )

export const useDeleteCategory = (environment: EnvironmentName) =>
  useChange(
    (id: number) =>
      call('DELETE /store/{environment}/categories/{categoryId}', {
        params: { environment, categoryId: String(id) },
      }),
    environmentKey(environment),
  )
