// Requests of the API as queries and changes, by their routes. `environment` and `slug` come from the address of the
// page, unless they are given. The key of a query is the path of its address, then its parameters:
// ['store', 'staging', 'pets', 'limit=20']. Below the shell, the current account is always loaded.
import {
  type InvalidateQueryFilters,
  type QueryKey,
  type UseQueryOptions,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query'
import { useParams } from 'react-router'
import {
  type Answer,
  addressOf,
  type CallInput,
  type LooseInput,
  ManagementError,
  type RouteName,
} from '../../client/management-client.ts'
import { call } from './api.ts'
import { type Account, noteSession } from './session.ts'

type GetRoute = Extract<RouteName, `GET ${string}`>
type ListRoute = {
  [R in GetRoute]: Answer<R> extends { items: unknown[]; next: string | number | null } ? R : never
}[GetRoute]

type PageParam = 'environment' | 'slug'
type Input<R extends RouteName> = Omit<CallInput<R>, 'params'> &
  (CallInput<R> extends { params: infer Params } ? ParamsBeside<Params> : unknown)
type ParamsBeside<Params> = keyof Params extends PageParam
  ? { params?: Params }
  : { params: Omit<Params, PageParam> & Partial<Params> }
type Options<R extends GetRoute> = Omit<UseQueryOptions<Answer<R>>, 'queryKey' | 'queryFn'>

const send = call as unknown as <R extends RouteName>(
  route: R,
  input: CallInput<R>,
) => Promise<Answer<R>>

export const keyOf = <R extends GetRoute>(route: R, input: CallInput<R>): QueryKey =>
  addressOf(route, input).split(/[/?]/).slice(2)

export type EnvironmentName = 'production' | 'staging'

/** The environment in the address; production outside of the store's pages. */
export const useEnvironment = (): EnvironmentName =>
  useParams().environment === 'staging' ? 'staging' : 'production'

/** The project in the address. */
export const useSlug = (): string => useParams().slug ?? ''

/** Returns a function that adds the parameters of the page's address to an input. */
function usePageParams() {
  const slug = useSlug()
  const environment = useEnvironment()
  type Given = object & { params?: unknown; query?: unknown }
  return <R extends RouteName>(input: Given): CallInput<R> =>
    ({ ...input, params: Object.assign({ environment, slug }, input.params) }) as never
}

/** `given`: the input of the route, and options of the query. */
export function useGet<R extends GetRoute>(
  route: R,
  ...[given]: object extends Input<R> ? [(Input<R> & Options<R>)?] : [Input<R> & Options<R>]
): UseQueryResult<Answer<R>> {
  const { params, query, ...options } = (given ?? {}) as LooseInput & Options<R>
  const input = usePageParams()<R>({ params, query })
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
  partial: Input<R> & { query: object },
  refetchInterval: number | false | ((first: Answer<R> | undefined) => number) = false,
) {
  const input = usePageParams()<R>(partial)
  return useInfiniteQuery({
    queryKey: keyOf(route, input),
    queryFn: ({ pageParam, signal }) =>
      send(route, { ...input, query: { ...partial.query, [cursor]: pageParam }, signal }),
    initialPageParam: undefined as string | number | undefined,
    getNextPageParam: (page) => (page as { next: string | number | null }).next,
    refetchInterval:
      typeof refetchInterval === 'function'
        ? ({ state }) => refetchInterval(state.data?.pages[0])
        : refetchInterval,
  })
}

/**
 * The result is not kept in the cache: it may hold a secret that is shown once. `changed` is fetched again; by default
 * what is below the first two parts of the address: a project, an environment of the store, a part of the account.
 */
export function useChange<R extends RouteName>(route: R, changed?: InvalidateQueryFilters[]) {
  const client = useQueryClient()
  const complete = usePageParams()
  const page: Record<string, string> = { '{slug}': useSlug(), '{environment}': useEnvironment() }
  const parts = route.split('/').slice(1, 3)
  const queryKey = parts.map((part) => page[part] ?? part).filter((part) => !part.startsWith('{'))
  return useMutation({
    mutationFn: (input: Input<R>) => send(route, complete<R>(input)),
    onSettled: async (_, error) => {
      // Refused because the record has changed or is gone, or changed without a confirmation: the page shows old data.
      const isOutdated =
        error instanceof ManagementError && [404, 409, 412, 504].includes(error.status)
      if (error !== null && !isOutdated) return
      const all = changed ?? [{ queryKey }]
      await Promise.all(all.map((filters) => client.invalidateQueries(filters)))
    },
    gcTime: 0,
  })
}

export const accountQuery = {
  queryKey: ['session'],
  async queryFn(): Promise<Account> {
    const account = await call('GET /session')
    noteSession()
    return account
  },
  staleTime: 60_000,
  // The entry asks before anything is rendered: what failed then is not asked again by what is rendered after it.
  retryOnMount: false,
}

export function useAccount(): Account {
  return useSuspenseQuery(accountQuery).data
}
