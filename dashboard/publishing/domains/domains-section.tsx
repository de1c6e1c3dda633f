// The domains of a project, live: all that is shown follows what happens without a reload.
import { Alert, Button, Group, Stack, Tabs, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Domain, Domains } from '../../../server/publishing/domains/api/schema.ts'
import { GlobeIcon, PlusIcon } from '../../components/icons.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { AddDomain } from './add-domain.tsx'
import { ConfigurationJson } from './configuration-form.tsx'
import { DomainCard } from './domain-card.tsx'
import { useDomains } from './domain-queries.ts'
import { EventList } from './event-list.tsx'
import { RedirectForm } from './redirect-form.tsx'
import { Removal } from './removal.tsx'
import { useLiveDomains } from './use-live-domains.ts'

export function DomainsSection({ slug }: { slug: string }) {
  const domains = useDomains(slug)
  const liveness = useLiveDomains(slug)
  return (
    <Stack>
      {liveness === 'late' && (
        <Alert color="yellow" role="status">
          The live connection is gone. It is tried again by itself; what is shown may be old.
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
        <Empty title="No custom domain yet" icon={<GlobeIcon size={28} />} action={add}>
          Serve this project at a name of your own: one DNS record, and the certificate comes by
          itself.
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
