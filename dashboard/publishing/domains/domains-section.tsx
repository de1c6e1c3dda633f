// The domains of a project. They are updated live, without a reload.
import { Stack, Tabs, Text } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { AddButton } from '../../components/add-button.tsx'
import { GlobeIcon } from '../../components/icons.tsx'
import { Section } from '../../components/page.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { counted } from '../../platform/numbers.ts'
import { AddDomain } from './add-domain.tsx'
import { ConfigurationJson } from './configuration-form.tsx'
import { DomainCard } from './domain-card.tsx'
import { type Domain, useDomains } from './domain-queries.ts'
import { EventList } from './event-list.tsx'
import { useLiveDomains } from './use-live-domains.ts'

export function DomainsSection() {
  const domains = useDomains()
  useLiveDomains()
  return <Loaded query={domains}>{({ items }) => <Content items={items} />}</Loaded>
}

function Content({ items }: { items: Domain[] }) {
  const [, setSearch] = useSearchParams()
  const show = (domain: string): void =>
    setSearch({ domain }, { replace: true, state: { added: domain } })
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
            <Stack gap="sm">
              {items.map((domain) => (
                <DomainCard key={domain.host} domain={domain} isOpenAtFirst={items.length === 1} />
              ))}
              <Text size="sm" c="dimmed">
                {counted(items.length, 'domain')}
              </Text>
            </Stack>
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
