// The queries of domains, and what the pages derive from a domain beside its status: what is offered, and what is listed
// first.
import { type QueryClient, type QueryFilters, useQueryClient } from '@tanstack/react-query'
import type { Answer, Body } from '../../../client/management-client.ts'
import type { Tone } from '../../components/values.tsx'
import { keyOf, useChange, useGet, useSlug } from '../../platform/requests.ts'

export type Domains = Answer<'GET /projects/{slug}/domains'>
export type Domain = Answer<'GET /projects/{slug}/domains/{host}'>
export type LastCheck = NonNullable<Domain['check']>
export type Removal = Answer<'DELETE /projects/{slug}/domains/{host}'>
export type Configuration = Body<'PUT /projects/{slug}/domain-configuration'>

export const domainsQueries = (slug: string) => ({
  queryKey: keyOf('GET /projects/{slug}/domains', { params: { slug } }),
})
export const configurationQuery = (slug: string) => ({
  queryKey: keyOf('GET /projects/{slug}/domain-configuration', { params: { slug } }),
})

export const useDomains = () =>
  useGet('GET /projects/{slug}/domains', {
    // A deploy that is required may be under way.
    refetchInterval: ({ state }) => ((state.data?.missing.length ?? 0) > 0 ? 3000 : false),
    structuralSharing: (cached, fetched) => newestOfEach(cached as Domains, fetched as Domains),
  })

/** A domain with the rate limits of the certificate authority, which lists leave out. */
export const useDomain = (host: string) =>
  useGet('GET /projects/{slug}/domains/{host}', {
    params: { host },
    structuralSharing: (cached, fetched) => newest(cached as Domain, fetched as Domain),
  })

/** A response may be older than an event that arrived before it. */
const newest = (cached: Domain | undefined, received: Domain): Domain =>
  cached !== undefined && cached.version > received.version ? cached : received

function newestOfEach(cached: Domains | undefined, fetched: Domains): Domains {
  const before = new Map(cached?.items.map((domain) => [domain.host, domain]))
  return { ...fetched, items: fetched.items.map((item) => newest(before.get(item.host), item)) }
}

export type DomainSwitch = Answer<'GET /projects/{slug}/domains/{host}/switch'>

/** Whether the record may be changed, looked at again while it is shown. */
export const useSwitch = (host: string) =>
  useGet('GET /projects/{slug}/domains/{host}/switch', { params: { host }, refetchInterval: 5000 })

/** Changes of a domain, whose result is shown at once. */
export function useDomainChanges(host: string) {
  const slug = useSlug()
  const client = useQueryClient()
  const check = useChange('POST /projects/{slug}/domains/{host}/verify', [])
  const change = useChange('PATCH /projects/{slug}/domains/{host}', [])
  const removal = useChange('DELETE /projects/{slug}/domains/{host}', [configurationQuery(slug)])
  const params = { host }
  const show = (domain: Domain): Domain => {
    putDomain(client, slug, domain)
    return domain
  }
  return {
    verify: () => check.mutateAsync({ params }).then(show),
    /** Requests the certificate before DNS is switched, or cancels that. */
    prepare: (prepare: boolean) => change.mutateAsync({ params, body: { prepare } }).then(show),
    async remove() {
      const removed = await removal.mutateAsync({ params })
      dropDomain(client, slug, host)
      return removed
    },
  }
}

export const useConfiguration = () => useGet('GET /projects/{slug}/domain-configuration')

/** The function also works for an undo after another project is opened. */
export function useConfigure() {
  const slug = useSlug()
  const configure = useChange('PUT /projects/{slug}/domain-configuration', [
    configurationQuery(slug),
    domainsQueries(slug),
  ])
  return (body: Configuration) => configure.mutateAsync({ params: { slug }, body })
}

/** Puts the state of a domain into the list, unless the list has a newer one. */
export function putDomain(client: QueryClient, slug: string, domain: Domain): void {
  changeList(client, slug, (items) => {
    const listed = items.find(({ host }) => host === domain.host)
    const others = items.filter((item) => item !== listed)
    return [...others, newest(listed, domain)].sort((a, b) => (a.host < b.host ? -1 : 1))
  })
  void fetchAgain(client, { queryKey: [...domainsQueries(slug).queryKey, domain.host] })
}

/** A first fetch ignores that it is invalidated, and its response may be older than the event that says so. */
export async function fetchAgain(client: QueryClient, queries: QueryFilters): Promise<void> {
  const isFirst = client.isFetching({
    ...queries,
    predicate: ({ state }) => state.data === undefined,
  })
  await client.invalidateQueries(queries)
  if (isFirst > 0) await client.invalidateQueries(queries)
}

export function dropDomain(client: QueryClient, slug: string, host: string): void {
  changeList(client, slug, (items) => items.filter((each) => each.host !== host))
  client.removeQueries({ queryKey: [...domainsQueries(slug).queryKey, host] })
}

function changeList(
  client: QueryClient,
  slug: string,
  change: (items: Domain[]) => Domain[],
): void {
  const list = { ...domainsQueries(slug), exact: true }
  client.setQueryData<Domains>(
    list.queryKey,
    (cached) => cached && { ...cached, items: change(cached.items) },
  )
  // A list that is being fetched may be older than this change.
  if (client.isFetching(list) > 0) void fetchAgain(client, list)
}

/** Whether the certificate comes first, and DNS is switched afterwards. */
export const isMoving = ({ dns, preparation }: Domain): boolean =>
  preparation.state === 'requested' && dns !== 'ok'

/** Whether the name leads to another site, from which it can move without an error. */
export const canPrepare = (domain: Domain): boolean => {
  const { check, dns, preparation } = domain
  if (preparation.state !== 'off' || isHidden(domain)) return false
  return (
    dns === 'conflict' || (dns === 'wrong_target' && !isTypo(check?.diagnostics[0]?.difference))
  )
}

type Difference = NonNullable<Domain['check']>['diagnostics'][number]['difference'] | undefined

/** At most three characters differ from what is expected: nobody has a site there. Nothing is marked where most differs. */
const isTypo = (difference: Difference): boolean => {
  const sizes = [difference?.found, difference?.expected].map((spans = []) =>
    spans.reduce((sum, { end, start }) => sum + end - start, 0),
  )
  return Math.max(...sizes) > 0 && Math.max(...sizes) <= 3
}

/** Whether a problem hides what the name has: no registration, broken DNSSEC, a record at another name. */
const isHidden = ({ badge, check, dns }: Domain): boolean =>
  badge === 'fix_dns' &&
  // D02 to D05 of the diagnostics. The state of DNS may be that of an earlier check.
  (dns === 'missing' || dns === 'unchecked' || /^D0[2-5]$/.test(check?.diagnostics[0]?.code ?? ''))

/** Whether the next step is to create the record that points to us. */
export function isRecordNext({ badge, check, dns, record }: Domain): boolean {
  if (badge === 'add_dns_record' || badge === 'paused') return true
  const [first] = check?.diagnostics ?? []
  const isAsked = first?.fix?.add.some(({ type }) => type === record.type) ?? false
  return isAsked && dns !== 'ok' && (first?.severity === 'blocks' || badge === 'fix_dns')
}

const urgency: Record<Tone, number> = { danger: 0, action: 0, neutral: 1, progress: 2, success: 3 }

/** `docs2` before `docs10`. */
export const { compare: compareHosts } = new Intl.Collator('en', { numeric: true })

/** The primary first, then what needs action. */
export function compareDomains(a: Domain, b: Domain): number {
  const rankOf = ({ role, status }: Domain) => (role === 'primary' ? -1 : urgency[status.tone])
  return rankOf(a) - rankOf(b) || compareHosts(a.host, b.host)
}
