// The domains of a project. They are updated live, without a reload.
import { Stack, Tabs, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { type Answer, addressOf, type EventOf } from '../../../client/management-client.ts'
import { ActionButton, AddButton } from '../../components/actions.tsx'
import { TextField } from '../../components/form.tsx'
import { GlobeIcon } from '../../components/icons.tsx'
import { Empty, Loaded, Loading, Section } from '../../components/page.tsx'
import { ExpandableCard } from '../../components/parts.tsx'
import { LoadedRecords, timeColumn } from '../../components/records.tsx'
import { Ago, Note, StateBadge } from '../../components/values.tsx'
import { suspectOutage } from '../../platform/api.ts'
import { counted, onDay } from '../../platform/formats.ts'
import { useGet, useSlug } from '../../platform/requests.ts'
import { AddDomain } from './add-domain.tsx'
import { ConfigurationJson } from './configuration.tsx'
import { DomainMenu } from './domain-menu.tsx'
import {
  compareDomains,
  configurationQuery,
  type Domain,
  domainsQueries,
  dropDomain,
  fetchAgain,
  putDomain,
  useDomainChanges,
  useDomains,
} from './domain-queries.ts'

/** The one button that checks a domain now. The background checks go the same way. */
function VerifyButton({ domain }: { domain: Domain }) {
  const { badge, checkedAt, host, ownership, status } = domain
  const { verify } = useDomainChanges(host)
  // A check would not change it.
  if (badge === 'suspended') return null
  const verb = badge === 'paused' ? 'Resume' : ownership === 'proven' ? 'Re-verify' : 'Verify'
  const { tone } = status

  /** The result, or why there is no new one. */
  const done = (after: Domain): string =>
    after.checkedAt === checkedAt && checkedAt !== null
      ? `${host} was checked a moment ago. You can verify it again in ${counted(secondsUntil(after.nextVerifyAt), 'second')}.`
      : resultOf(host, after.status.sentence)

  return (
    <ActionButton
      h={30}
      variant={tone === 'progress' || tone === 'success' ? 'default' : 'outline'}
      label={`${verb} ${host}`}
      act={verify}
      done={done}
    >
      {verb}
    </ActionButton>
  )
}

/** The headline as a sentence that names the domain once. */
const resultOf = (host: string, headline: string): string =>
  (headline.includes(host) ? headline : `${host} was checked. ${headline}`).replace(/[^.]$/, '$&.')

/** At most ten, as the server has it: the clocks may differ. */
function secondsUntil(time: string | null): number {
  const seconds = Math.ceil((Date.parse(time ?? '') - Date.now()) / 1000)
  return Math.min(10, Math.max(1, seconds || 1))
}

type DomainEvent = Answer<'GET /projects/{slug}/domain-events'>['items'][number]

/** The history of the domains of a project, newest first. */
function EventList() {
  const events = useGet('GET /projects/{slug}/domain-events', { query: { limit: 30 } })
  return (
    <LoadedRecords
      query={events}
      empty={<Text c="dimmed">No events yet.</Text>}
      caption="History"
      columns={[
        { title: 'Domain', isHead: true, cell: ({ host }) => host },
        { title: 'Event', cell: (event) => descriptions[event.type](event) },
        timeColumn('Time', 'at'),
      ]}
    />
  )
}

const descriptions: Record<DomainEvent['type'], (event: DomainEvent) => string> = {
  added: (event) => `Added${byActor(event)}`,
  removed: (event) => `Removed${byActor(event)}`,
  configured: (event) => `${roleOf(event.detail)}${byActor(event)}`,
  dns_changed: ({ detail }) => dnsChanges[detail.to ?? ''] ?? 'DNS changed',
  verified: ({ detail }) => `Verified by its ${detail.provenBy === 'txt' ? 'TXT' : 'DNS'} record`,
  preparation_requested: (event) => `Certificate before the switch requested${byActor(event)}`,
  preparation_canceled: (event) => `Certificate before the switch canceled${byActor(event)}`,
  preparation_ended: () => 'Certificate before the switch no longer requested',
  certificate_ordered: () => 'Certificate ordered',
  challenge_requested: ({ detail }) =>
    detail.because ? 'TXT record requested with a new value' : 'TXT record requested',
  certificate_prepared: () => 'Certificate issued: ready to switch',
  connect_started: (event) => `Connecting with ${event.detail.provider}${byActor(event)}`,
  connect_returned: ({ detail }) =>
    returns[detail.outcome ?? ''] ?? 'Returned from the DNS provider',
  switched: () => 'DNS switched',
  active: () => 'Active over HTTPS',
  renewed: ({ detail }) =>
    detail.expiresAt ? `Renewed until ${onDay(detail.expiresAt)}` : 'Renewed',
  at_risk: () => 'At risk',
  failed: ({ detail }) => detail.problem ?? `No certificate: ${detail.reason ?? 'unknown reason'}`,
  suspended: () => 'Suspended: the plan has expired',
  paused: () => 'Paused: not verified in 30 days',
  lost: () => 'Lost',
}

/** By the state that follows. */
const dnsChanges: Record<string, string> = {
  unchecked: 'DNS not checked yet',
  missing: 'No DNS record found',
  conflict: 'Conflicting DNS record found',
  wrong_target: 'DNS record with another value found',
  partial: 'DNS record found at some name servers',
  ok: 'DNS record found',
  drifting: 'DNS points elsewhere',
  lost: 'DNS points elsewhere',
} satisfies Record<Domain['dns'], string>

const returns: Record<string, string> = {
  done: 'Returned from the DNS provider',
  cancelled: 'Cancelled at the DNS provider',
  failed: 'The DNS provider reported a failure',
}

const eventTypes = Object.keys(descriptions)

const byActor = ({ actor }: DomainEvent): string => (actor?.name ? ` by ${actor.name}` : '')

function roleOf({ redirectStatus, redirectTo, role }: DomainEvent['detail']): string {
  if (role === 'primary') return 'Made primary'
  return redirectTo ? `Redirects to ${redirectTo} (${redirectStatus})` : 'Serves the site'
}

const route = 'GET /projects/{slug}/domain-events/stream'
type StreamedEvent = EventOf<typeof route>

const reconnectAfterMs = 4000

/** Keeps the domains of a project up to date with its event stream. After each reconnect, everything is fetched again. */
function useLiveDomains(): void {
  const slug = useSlug()
  const client = useQueryClient()

  useEffect(() => {
    let source: EventSource
    let timer: ReturnType<typeof setTimeout> | undefined
    const eventsQuery = { queryKey: ['projects', slug, 'domain-events'] }

    function receive({ data }: MessageEvent<string>): void {
      const { domain, event } = JSON.parse(data) as StreamedEvent
      if (domain) putDomain(client, slug, domain)
      else dropDomain(client, slug, event.host)
      void fetchAgain(client, eventsQuery)
      if (event.type === 'configured' || event.type === 'removed') {
        void fetchAgain(client, configurationQuery(slug))
      }
    }

    function open(): void {
      source = new EventSource(addressOf(route, { params: { slug } }))
      source.addEventListener('open', () => {
        // There may have been events before the connection.
        void fetchAgain(client, domainsQueries(slug))
        void fetchAgain(client, eventsQuery)
      })
      source.addEventListener('error', () => {
        suspectOutage()
        // The browser reconnects, except after an error response.
        if (source.readyState !== EventSource.CLOSED) return
        timer = setTimeout(open, reconnectAfterMs)
      })
      // A browser receives only events of types that it listens for.
      for (const type of eventTypes) source.addEventListener(type, receive)
    }

    open()
    return () => {
      clearTimeout(timer)
      source.close()
    }
  }, [client, slug])
}

/** Loaded with the first card that is opened, and not with the list. */
const OpenedDomain = lazy(() =>
  import('./opened-domain.tsx').then((module) => ({ default: module.OpenedDomain })),
)

/** One domain: its badge and headline, its actions, its progress and next step; everything else behind Details. */
function DomainCard({ domain, isOpenAtFirst }: { domain: Domain; isOpenAtFirst: boolean }) {
  const { badge, certificate, host, redirect, role, status, unicodeHost } = domain
  const { title, tone } = status
  return (
    <ExpandableCard
      kind="domain"
      id={host}
      isOpenAtFirst={isOpenAtFirst}
      title={unicodeHost}
      level={3}
      tone={tone}
      beside={
        <>
          <StateBadge tone={tone} size="lg">
            {title}
          </StateBadge>
          <Note fw={600}>
            {role === 'primary' && 'Primary'}
            {redirect && `${redirect.status} to ${redirect.to}`}
          </Note>
        </>
      }
      actions={
        <>
          <VerifyButton domain={domain} />
          <DomainMenu domain={domain} />
        </>
      }
      details={() => (
        <Suspense fallback={<Loading rows={2} />}>
          <OpenedDomain domain={domain} />
        </Suspense>
      )}
    >
      {unicodeHost !== host && <Note>{host} in DNS</Note>}
      <Note>
        {status.sentence}
        {badge === 'retrying' && certificate.nextTryAt !== null && (
          <>
            {' '}
            Retrying <Ago time={certificate.nextTryAt} />.
          </>
        )}
      </Note>
    </ExpandableCard>
  )
}

export function Component() {
  const domains = useDomains()
  useLiveDomains()
  return <Loaded query={domains}>{({ items }) => <Content items={items} />}</Loaded>
}

function Content({ items }: { items: Domain[] }) {
  const [, setSearch] = useSearchParams()
  const show = (domain: string): void => setSearch({ domain }, { replace: true })
  const add = <AddButton title="Add domain" size="lg" content={<AddDomain onAdded={show} />} />
  return (
    <Section title="Domains" size="h3" actions={items.length > 0 && add}>
      {items.length === 0 ? (
        <Empty title="No custom domains yet" icon={<GlobeIcon size={28} />} action={add}>
          Serve this project at your own domain. Add one DNS record; the certificate is issued
          automatically.
        </Empty>
      ) : (
        <Tabs defaultValue="list" keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="list">Domains</Tabs.Tab>
            <Tabs.Tab value="configuration">Configuration</Tabs.Tab>
            <Tabs.Tab value="events">History</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="list">
            <DomainList items={items} />
          </Tabs.Panel>
          <Tabs.Panel value="configuration">
            <ConfigurationJson hosts={items.map(({ host }) => host)} />
          </Tabs.Panel>
          <Tabs.Panel value="events">
            <EventList />
          </Tabs.Panel>
        </Tabs>
      )}
    </Section>
  )
}

const searchFrom = 10

function DomainList({ items }: { items: Domain[] }) {
  const [address] = useSearchParams()
  const [typed, setTyped] = useState(address.get('search') ?? '')
  const ordered = useStableOrder(items)
  const query = typed.trim().toLowerCase()
  const matches = ordered.filter(
    ({ host, status, unicodeHost }) =>
      host.includes(query) ||
      unicodeHost.includes(query) ||
      status.title.toLowerCase().includes(query),
  )
  return (
    <Stack gap="sm">
      {(items.length >= searchFrom || typed !== '') && (
        <search>
          <TextField
            label="Search by name or status"
            value={typed}
            onChange={setTyped}
            type="search"
            spellCheck={false}
            data-shortcut="search"
          />
        </search>
      )}
      {matches.map((domain) => (
        <DomainCard key={domain.host} domain={domain} isOpenAtFirst={items.length === 1} />
      ))}
      <Note role="status">
        {matches.length === items.length
          ? counted(items.length, 'domain')
          : `${matches.length} of ${counted(items.length, 'domain')}`}
      </Note>
    </Stack>
  )
}

/** By urgency when the page was opened, or a domain was added or made primary: no card moves while its state changes. */
function useStableOrder(items: Domain[]): Domain[] {
  const key = items.map(({ host, role }) => (role === 'primary' ? `${host} *` : host)).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: other changes keep the order
  const hosts = useMemo(() => items.toSorted(compareDomains).map(({ host }) => host), [key])
  const byHost = new Map(items.map((item) => [item.host, item]))
  return hosts.flatMap((host) => byHost.get(host) ?? [])
}
