// The domains of a project. They are updated live, without a reload.
import { Alert, Button, Group, Stack, Tabs, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { GlobeIcon, PlusIcon } from '../../components/icons.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { AddDomain } from './add-domain.tsx'
import { ConfigurationJson } from './configuration-form.tsx'
import { DomainCard } from './domain-card.tsx'
import { type Domain, type Domains, useDomains } from './domain-queries.ts'
import { EventList } from './event-list.tsx'
import { RedirectForm } from './redirect-form.tsx'
import { Removal } from './removal.tsx'
import { useLiveDomains } from './use-live-domains.ts'

export function DomainsSection({ slug }: { slug: string }) {
  const domains = useDomains(slug)
  const liveness = useLiveDomains(slug)
  return (
    <Stack>
      {liveness === 'lost' && (
        <Alert color="yellow" role="status">
          Connection lost. Reconnecting… The domains shown may be out of date.
        </Alert>
      )}
      <Loaded query={domains}>{(found) => <Content slug={slug} found={found} />}</Loaded>
    </Stack>
  )
}

function Content({ found, slug }: { slug: string; found: Domains }) {
  const { items, missing } = found
  const [search, setSearch] = useSearchParams()
  const open = search.get('domain') ?? (items.length === 1 ? items[0]?.host : undefined)
  const [isAdding, setAdding] = useState(false)
  const [redirecting, setRedirecting] = useState<Domain>()
  const [removing, setRemoving] = useState<Domain>()
  const show = (host: string | undefined): void => {
    setSearch(host === undefined ? { domain: '' } : { domain: host }, { replace: true })
  }
  const add = (
    <Button leftSection={<PlusIcon />} onClick={() => setAdding(true)} data-shortcut="new">
      Add domain
    </Button>
  )
  return (
    <>
      <Group justify="space-between">
        <Title order={2} size="h3">
          Domains
        </Title>
        {items.length > 0 && add}
      </Group>
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
                <DomainCard
                  key={domain.host}
                  slug={slug}
                  domain={domain}
                  isOpen={open === domain.host}
                  toggle={() => show(open === domain.host ? undefined : domain.host)}
                  askRedirect={() => setRedirecting(domain)}
                  askRemoval={() => setRemoving(domain)}
                />
              ))}
              <Text size="sm" c="dimmed">
                {items.length} {items.length === 1 ? 'domain' : 'domains'}
              </Text>
            </Stack>
          </Tabs.Panel>
          <Tabs.Panel value="configuration">
            <ConfigurationJson slug={slug} hosts={items.map(({ host }) => host)} />
          </Tabs.Panel>
          <Tabs.Panel value="events">
            <EventList slug={slug} />
          </Tabs.Panel>
        </Tabs>
      )}
      <AddDomain
        slug={slug}
        missing={missing}
        opened={isAdding}
        close={() => setAdding(false)}
        onAdded={show}
      />
      <RedirectForm
        slug={slug}
        domain={redirecting}
        domains={items}
        close={() => setRedirecting(undefined)}
      />
      <Removal slug={slug} domain={removing} close={() => setRemoving(undefined)} />
    </>
  )
}
