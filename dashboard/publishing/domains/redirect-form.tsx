// Redirects one domain to another of the project.
import { Text } from '@mantine/core'
import { Form, SelectField, useForm } from '../../components/form.tsx'
import {
  type Configuration,
  type Domain,
  useConfiguration,
  useConfigure,
  useDomains,
} from './domain-queries.ts'

type RedirectStatus = Configuration['redirects'][number]['status']

const redirectStatuses: Record<RedirectStatus, string> = {
  301: '301 Permanent',
  302: '302 Temporary',
  307: '307 Temporary, keeps the method',
  308: '308 Permanent, keeps the method',
}

export function RedirectForm({ domain: { host, redirect } }: { domain: Domain }) {
  const { data: configuration } = useConfiguration()
  const put = useConfigure()
  const { items = [] } = useDomains().data ?? {}
  const targets = items.filter((each) => each.host !== host && each.role !== 'redirect')
  const primary = targets.find(({ role }) => role === 'primary') ?? targets[0]
  const { field, form } = useForm({
    initial: { to: redirect?.to ?? primary?.host ?? '', status: String(redirect?.status ?? 301) },
    async send({ status, to }) {
      if (!configuration) return false
      const added = { from: host, to, status: Number(status) as RedirectStatus }
      await put(withRedirect(configuration, added))
      return ''
    },
    done: (text) => text,
  })
  if (targets.length === 0) {
    return <Text>No other domain serves the site. Add one first.</Text>
  }
  return (
    <Form verb="Redirect" {...form}>
      <SelectField {...field('to', 'To')} data={targets.map((each) => each.host)} />
      <SelectField
        {...field('status', 'Status', 'Redirects keep path and query.')}
        data={Object.entries(redirectStatuses).map(([value, label]) => ({ value, label }))}
      />
    </Form>
  )
}

export function withoutRedirect(configuration: Configuration, host: string): Configuration {
  const redirects = configuration.redirects.filter(({ from }) => from !== host)
  return { ...configuration, redirects }
}

export const withPrimary = (configuration: Configuration, host: string): Configuration => ({
  ...withoutRedirect(configuration, host),
  primary: host,
})

/** Adds a redirect. A domain that redirects cannot be the primary. */
export function withRedirect(
  configuration: Configuration,
  added: Configuration['redirects'][number],
): Configuration {
  const { primary, redirects } = withoutRedirect(configuration, added.from)
  return { primary: primary === added.from ? added.to : primary, redirects: [...redirects, added] }
}
