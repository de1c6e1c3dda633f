// Redirects one domain to another of the project.
import { Select, Text } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form.tsx'
import { explain } from '../../platform/api.ts'
import {
  type Configuration,
  type Domain,
  useConfiguration,
  useConfigure,
} from './domain-queries.ts'

type RedirectStatus = Configuration['redirects'][number]['status']

export const redirectStatuses: Record<RedirectStatus, string> = {
  301: '301 Permanent',
  302: '302 Temporary',
  307: '307 Temporary, keeps the method',
  308: '308 Permanent, keeps the method',
}

export interface RedirectFormProps {
  slug: string
  domain: Domain | undefined
  /** All domains of the project. */
  domains: Domain[]
  close: () => void
}

export function RedirectForm({ close, domain, domains, slug }: RedirectFormProps) {
  return (
    <Dialog opened={domain !== undefined} close={close} title={`Redirect ${domain?.host ?? ''}`}>
      {domain && <RedirectFields key={domain.host} {...{ close, domain, domains, slug }} />}
    </Dialog>
  )
}

function RedirectFields({ close, domain, domains, slug }: RedirectFormProps & { domain: Domain }) {
  const configuration = useConfiguration(slug)
  const configure = useConfigure(slug)
  const targets = domains.filter(({ host, role }) => host !== domain.host && role !== 'redirect')
  const primary = targets.find(({ role }) => role === 'primary')
  const [to, setTo] = useState(domain.redirect?.to ?? primary?.host ?? targets[0]?.host ?? null)
  const [status, setStatus] = useState(String(domain.redirect?.status ?? 301))
  if (targets.length === 0) {
    return <Text>No other domain serves the site. Add one first.</Text>
  }
  return (
    <Form
      close={close}
      verb="Redirect"
      isPending={configure.isPending}
      problem={configure.error ? explain(configure.error) : undefined}
      submit={() => {
        if (!configuration.data || to === null) return
        const chosen = Number(status) as RedirectStatus
        const changed = withRedirect(configuration.data, domain.host, to, chosen)
        configure.mutate(changed, { onSuccess: close })
      }}
    >
      <Select
        label="To"
        data={targets.map(({ host }) => host)}
        value={to}
        onChange={setTo}
        allowDeselect={false}
      />
      <Select
        label="Status"
        description="Redirects keep path and query."
        data={Object.entries(redirectStatuses).map(([value, label]) => ({ value, label }))}
        value={status}
        onChange={(value) => setStatus(value ?? '301')}
        allowDeselect={false}
      />
    </Form>
  )
}

/** Adds a redirect. A domain that redirects cannot be the primary. */
function withRedirect(
  { primary, redirects }: Configuration,
  from: string,
  to: string,
  status: RedirectStatus,
): Configuration {
  const others = redirects.filter((each) => each.from !== from)
  const added = { from, to, status }
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
