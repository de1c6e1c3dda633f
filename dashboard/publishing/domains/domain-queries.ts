// The queries and changes of domains.
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Answer, Body } from '../../../client/management-client.ts'
import { call } from '../../platform/api.ts'

export type Domains = Answer<'GET /projects/{slug}/domains'>
export type Domain = Answer<'GET /projects/{slug}/domains/{host}'>
export type RemovedDomain = Answer<'DELETE /projects/{slug}/domains/{host}'>
export type LastCheck = NonNullable<Domain['check']>
export type Diagnostic = LastCheck['diagnostics'][number]
export type Configuration = Body<'PUT /projects/{slug}/domain-configuration'>

export const domainsKey = (slug: string) => ['projects', slug, 'domains']
export const configurationKey = (slug: string) => ['projects', slug, 'domain-configuration']
export const domainEventsKey = (slug: string) => ['projects', slug, 'domain-events']

export function useDomains(slug: string) {
  return useQuery({
    queryKey: domainsKey(slug),
    queryFn: () => call('GET /projects/{slug}/domains', { params: { slug } }),
    // A deploy that is required may be under way.
    refetchInterval: ({ state }) => ((state.data?.missing.length ?? 0) > 0 ? 3000 : false),
  })
}

/** Includes the rate limits of the certificate authority, which lists leave out. */
export function useDomain(slug: string, host: string) {
  return useQuery({
    queryKey: [...domainsKey(slug), host],
    queryFn: () => call('GET /projects/{slug}/domains/{host}', { params: { slug, host } }),
  })
}

export function useConfiguration(slug: string) {
  return useQuery({
    queryKey: configurationKey(slug),
    queryFn: () => call('GET /projects/{slug}/domain-configuration', { params: { slug } }),
  })
}

export function useDomainEvents(slug: string) {
  return useQuery({
    queryKey: domainEventsKey(slug),
    queryFn: () =>
      call('GET /projects/{slug}/domain-events', { params: { slug }, query: { limit: 30 } }),
  })
}

export function useAddDomain(slug: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (host: string) =>
      call('POST /projects/{slug}/domains', { params: { slug }, body: { host } }),
    onSuccess: (domain) => putDomain(client, slug, domain),
  })
}

/** Verify, Re-verify, Check now and Resume are the same operation. */
export function useVerifyDomain(slug: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (host: string) =>
      call('POST /projects/{slug}/domains/{host}/verify', { params: { slug, host } }),
    onSuccess: (domain) => putDomain(client, slug, domain),
  })
}

export function useRemoveDomain(slug: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (host: string) =>
      call('DELETE /projects/{slug}/domains/{host}', { params: { slug, host } }),
    onSuccess: ({ host }) => {
      dropDomain(client, slug, host)
      void client.invalidateQueries({ queryKey: configurationKey(slug) })
    },
  })
}

export function useConfigure(slug: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: Configuration) =>
      call('PUT /projects/{slug}/domain-configuration', { params: { slug }, body }),
    onSuccess: (saved) => {
      client.setQueryData(configurationKey(slug), saved)
      void client.invalidateQueries({ queryKey: domainsKey(slug) })
    },
  })
}

/** Puts the current state of a domain into every list that is shown. */
export function putDomain(client: QueryClient, slug: string, domain: Domain): void {
  client.setQueryData<Domains>(domainsKey(slug), (known) => {
    if (!known) return known
    const others = known.items.filter(({ host }) => host !== domain.host)
    const items = [...others, domain].sort((a, b) => (a.host < b.host ? -1 : 1))
    return { ...known, items }
  })
  void client.invalidateQueries({ queryKey: [...domainsKey(slug), domain.host] })
}

export function dropDomain(client: QueryClient, slug: string, host: string): void {
  client.setQueryData<Domains>(
    domainsKey(slug),
    (known) => known && { ...known, items: known.items.filter((each) => each.host !== host) },
  )
  client.removeQueries({ queryKey: [...domainsKey(slug), host] })
}
