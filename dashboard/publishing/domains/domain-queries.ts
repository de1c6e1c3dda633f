// What the pages ask about domains, and what they let happen to them.
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { DomainEvents } from '../../../server/publishing/domains/api/event-schema.ts'
import type {
  Domain,
  Domains,
  RemovedDomain,
} from '../../../server/publishing/domains/api/schema.ts'
import { ask, path } from '../../platform/api.ts'

export interface Configuration {
  primary: string | null
  redirects: { from: string; to: string; status: 301 | 302 | 307 | 308 }[]
}

export const domainsKey = (slug: string) => ['projects', slug, 'domains']
export const configurationKey = (slug: string) => ['projects', slug, 'domain-configuration']
export const domainEventsKey = (slug: string) => ['projects', slug, 'domain-events']

export function useDomains(slug: string) {
  return useQuery({
    queryKey: domainsKey(slug),
    queryFn: () => ask<Domains>(path`GET /projects/${slug}/domains`),
    // What is missing may be on its way: a deploy that is being built.
    refetchInterval: ({ state }) => ((state.data?.missing.length ?? 0) > 0 ? 3000 : false),
  })
}

/** With what the authority still gives, which lists leave out. */
export function useDomain(slug: string, host: string, isEnabled: boolean) {
  return useQuery({
    queryKey: [...domainsKey(slug), host],
    queryFn: () => ask<Domain>(path`GET /projects/${slug}/domains/${host}`),
    enabled: isEnabled,
  })
}

export function useConfiguration(slug: string) {
  return useQuery({
    queryKey: configurationKey(slug),
    queryFn: () => ask<Configuration>(path`GET /projects/${slug}/domain-configuration`),
  })
}

export function useDomainEvents(slug: string) {
  return useQuery({
    queryKey: domainEventsKey(slug),
    queryFn: () => ask<DomainEvents>(`${path`GET /projects/${slug}/domain-events`}?limit=30`),
  })
}

export function useAddDomain(slug: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (host: string) =>
      ask<Domain>(path`POST /projects/${slug}/domains`, { body: { host } }),
    onSuccess: (domain) => putDomain(client, slug, domain),
  })
}

/** Verify, Re-verify, Check now and Resume are one thing to the server. */
export function useVerifyDomain(slug: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (host: string) => ask<Domain>(path`POST /projects/${slug}/domains/${host}/verify`),
    onSuccess: (domain) => putDomain(client, slug, domain),
  })
}

export function useRemoveDomain(slug: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (host: string) =>
      ask<RemovedDomain>(path`DELETE /projects/${slug}/domains/${host}`),
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
      ask<Configuration>(path`PUT /projects/${slug}/domain-configuration`, { body }),
    onSuccess: (saved) => {
      client.setQueryData(configurationKey(slug), saved)
      void client.invalidateQueries({ queryKey: domainsKey(slug) })
    },
  })
}

/** The domain as it is by now, in every list that is shown. */
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
