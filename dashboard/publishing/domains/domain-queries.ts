// The queries of domains.
import type { QueryClient } from '@tanstack/react-query'
import type { Answer, Body } from '../../../client/management-client.ts'
import { keyOf, useChange, useGet } from '../../platform/requests.ts'

export type Domains = Answer<'GET /projects/{slug}/domains'>
export type Domain = Answer<'GET /projects/{slug}/domains/{host}'>
export type LastCheck = NonNullable<Domain['check']>
export type Configuration = Body<'PUT /projects/{slug}/domain-configuration'>

export const domainsQueries = (slug: string) => ({
  queryKey: keyOf('GET /projects/{slug}/domains', { params: { slug } }),
})
export const configurationQuery = (slug: string) => ({
  queryKey: keyOf('GET /projects/{slug}/domain-configuration', { params: { slug } }),
})

export function useDomains(slug: string) {
  return useGet(
    'GET /projects/{slug}/domains',
    { params: { slug } },
    // A deploy that is required may be under way.
    { refetchInterval: ({ state }) => ((state.data?.missing.length ?? 0) > 0 ? 3000 : false) },
  )
}

export const useConfiguration = (slug: string) =>
  useGet('GET /projects/{slug}/domain-configuration', { params: { slug } })

export const useConfigure = (slug: string) =>
  useChange(
    'PUT /projects/{slug}/domain-configuration',
    configurationQuery(slug),
    domainsQueries(slug),
  )

/** Puts the current state of a domain into the list. */
export function putDomain(client: QueryClient, slug: string, domain: Domain): void {
  const { queryKey } = domainsQueries(slug)
  client.setQueryData<Domains>(queryKey, (known) => {
    if (!known) return known
    const others = known.items.filter(({ host }) => host !== domain.host)
    const items = [...others, domain].sort((a, b) => (a.host < b.host ? -1 : 1))
    return { ...known, items }
  })
  void client.invalidateQueries({ queryKey: [...queryKey, domain.host] })
}

export function dropDomain(client: QueryClient, slug: string, host: string): void {
  const { queryKey } = domainsQueries(slug)
  client.setQueryData<Domains>(
    queryKey,
    (known) => known && { ...known, items: known.items.filter((each) => each.host !== host) },
  )
  client.removeQueries({ queryKey: [...queryKey, host] })
}
