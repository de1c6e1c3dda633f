// Lets one domain redirect to another of the project.
import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Domain } from '../../../server/publishing/domains/api/schema.ts'
import { explain } from '../../platform/api.ts'
import { type Configuration, useConfiguration, useConfigure } from './domain-queries.ts'

export const statuses: { value: string; label: string }[] = [
  { value: '301', label: '301: for good' },
  { value: '302', label: '302: for now' },
  { value: '307', label: '307: for now, the method is kept' },
  { value: '308', label: '308: for good, the method is kept' },
]

export interface RedirectFormProps {
  slug: string
  domain: Domain | undefined
  /** All of the project. */
  domains: Domain[]
  close: () => void
}

export function RedirectForm({ close, domain, domains, slug }: RedirectFormProps) {
  return (
    <Modal
      opened={domain !== undefined}
      onClose={close}
      title={`Redirect ${domain?.host ?? ''}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {domain && <Form key={domain.host} {...{ close, domain, domains, slug }} />}
    </Modal>
  )
}

function Form({ close, domain, domains, slug }: RedirectFormProps & { domain: Domain }) {
  const configuration = useConfiguration(slug)
  const configure = useConfigure(slug)
  const targets = domains.filter(({ host, role }) => host !== domain.host && role !== 'redirect')
  const primary = targets.find(({ role }) => role === 'primary')
  const [to, setTo] = useState(domain.redirect?.to ?? primary?.host ?? targets[0]?.host ?? null)
  const [status, setStatus] = useState(String(domain.redirect?.status ?? 301))
  if (targets.length === 0) {
    return <Text>There is no other domain that serves the site. Add one first.</Text>
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!configuration.data || to === null) return
        const wanted = redirected(configuration.data, domain.host, to, Number(status))
        configure.mutate(wanted, { onSuccess: close })
      }}
    >
      <Stack>
        <Select
          label="To"
          data={targets.map(({ host }) => host)}
          value={to}
          onChange={setTo}
          allowDeselect={false}
        />
        <Select
          label="Status"
          description="Path and query are kept."
          data={statuses}
          value={status}
          onChange={(value) => setStatus(value ?? '301')}
          allowDeselect={false}
        />
        {configure.error && (
          <Alert color="red" role="alert">
            {explain(configure.error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={configure.isPending}>
            Redirect
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** The configuration with one more redirect. A domain that redirects is not the primary. */
export function redirected(
  { primary, redirects }: Configuration,
  from: string,
  to: string,
  status: number,
): Configuration {
  const others = redirects.filter((each) => each.from !== from)
  const added = { from, to, status: status as Configuration['redirects'][number]['status'] }
  return { primary: primary === from ? to : primary, redirects: [...others, added] }
}

export function withPrimary({ redirects }: Configuration, host: string): Configuration {
  return { primary: host, redirects: redirects.filter(({ from }) => from !== host) }
}

export function withoutRedirect(
  { primary, redirects }: Configuration,
  from: string,
): Configuration {
  return { primary, redirects: redirects.filter((each) => each.from !== from) }
}
