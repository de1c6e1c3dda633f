// Requests of the API as queries and changes, by their routes. The key of a query is the path of its address, then
// its parameters: ['store', 'staging', 'animals', 'limit=20'].
import {
  type InvalidateQueryFilters,
  type QueryKey,
  type UseQueryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import {
  type Answer,
  addressOf,
  type CallInput,
  ManagementError,
  type RouteName,
} from '../../client/management-client.ts'
import { call } from './api.ts'

type GetRoute = Extract<RouteName, `GET ${string}`>
type ListRoute = {
  [R in GetRoute]: Answer<R> extends { items: unknown[]; next: string | number | null } ? R : never
}[GetRoute]

const send = call as unknown as <R extends RouteName>(
  route: R,
  input: CallInput<R>,
) => Promise<Answer<R>>

export const keyOf = <R extends GetRoute>(route: R, input: CallInput<R>): QueryKey =>
  addressOf(route, input).split(/[/?]/).slice(2)

export function useGet<R extends GetRoute>(
  route: R,
  input: CallInput<R>,
  options: Omit<UseQueryOptions<Answer<R>>, 'queryKey' | 'queryFn'> = {},
): UseQueryResult<Answer<R>> {
  return useQuery({
    queryKey: keyOf(route, input),
    queryFn: ({ signal }) => send(route, { ...input, signal }),
    ...options,
  })
}

/** A list whose pages are added to those above. `cursor` is the parameter that takes the `next` of a page. */
export function useList<R extends ListRoute>(
  route: R,
  cursor: 'after' | 'before',
  input: CallInput<R> & { query: object },
  refetchInterval: number | false | ((first: Answer<R> | undefined) => number) = false,
) {
  return useInfiniteQuery({
    queryKey: keyOf(route, input),
    queryFn: ({ pageParam, signal }) =>
      send(route, { ...input, query: { ...input.query, [cursor]: pageParam }, signal }),
    initialPageParam: undefined as string | number | undefined,
    getNextPageParam: (page) => (page as { next: string | number | null }).next,
    refetchInterval:
      typeof refetchInterval === 'function'
        ? ({ state }) => refetchInterval(state.data?.pages[0])
        : refetchInterval,
  })
}

/** The result is not kept in the cache: it may hold a secret that is shown once. */
export function useChange<R extends RouteName>(route: R, ...changed: InvalidateQueryFilters[]) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: CallInput<R>) => send(route, input),
    onSettled: async (_, error) => {
      if (error !== null && !isOutdated(error)) return
      await Promise.all(changed.map((filters) => client.invalidateQueries(filters)))
    },
    gcTime: 0,
  })
}

/** Refused because the record has changed or is gone: the page shows old data. */
function isOutdated(error: unknown): boolean {
  return error instanceof ManagementError && [404, 409, 412].includes(error.status)
}
