// The domains of a project. They are updated live, without a reload.
import { Stack, Tabs, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { badges } from '../../../client/values/domain-badges.ts'
import { AddButton } from '../../components/add-button.tsx'
import { TextField } from '../../components/fields.tsx'
import { GlobeIcon } from '../../components/icons.tsx'
import { Section } from '../../components/page.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { counted } from '../../platform/numbers.ts'
import { AddDomain } from './add-domain.tsx'
import { ConfigurationJson } from './configuration-form.tsx'
import { DomainCard } from './domain-card.tsx'
import { type Domain, useDomains } from './domain-queries.ts'
import { compareDomains } from './domain-status.ts'
import { EventList } from './event-list.tsx'
import { useLiveDomains } from './use-live-domains.ts'

export function Component() {
  const domains = useDomains()
  useLiveDomains()
  return <Loaded query={domains}>{({ items }) => <Content items={items} />}</Loaded>
}

function Content({ items }: { items: Domain[] }) {
  const [, setSearch] = useSearchParams()
  const show = (domain: string): void => setSearch({ domain }, { replace: true })
  const add = (
    <AddButton
      title="Add domain"
      size="lg"
      content={(close) => <AddDomain close={close} onAdded={show} />}
    />
  )
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
  const wanted = typed.trim().toLowerCase()
  const found = ordered.filter(
    ({ badge, host, unicodeHost }) =>
      host.includes(wanted) ||
      unicodeHost.includes(wanted) ||
      badges[badge].title.toLowerCase().includes(wanted),
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
      {found.map((domain) => (
        <DomainCard key={domain.host} domain={domain} isOpenAtFirst={items.length === 1} />
      ))}
      <Text size="sm" c="dimmed" role="status">
        {found.length === items.length
          ? counted(items.length, 'domain')
          : `${found.length} of ${counted(items.length, 'domain')}`}
      </Text>
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
