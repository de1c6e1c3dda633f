// Which domain of a project is the primary and which redirect: as JSON, checked while it is typed by the rules of the server,
// and as the form that redirects one domain to another.

import { Text } from '@mantine/core'
import { problemsOf } from '#domains/claims/domain-configuration.ts'
import { Form, SelectField, TextAreaField, useForm } from '../../components/form.tsx'
import { Loaded } from '../../components/page.tsx'
import { announce } from '../../platform/announcements.ts'
import {
  type Configuration,
  type Domain,
  useConfiguration,
  useConfigure,
  useDomains,
} from './domain-queries.ts'

export function ConfigurationJson({ hosts }: { hosts: string[] }) {
  return (
    <Loaded query={useConfiguration()}>
      {(saved) => <ConfigurationForm hosts={hosts} saved={saved} />}
    </Loaded>
  )
}

function ConfigurationForm({ hosts, saved }: { hosts: string[]; saved: Configuration }) {
  const put = useConfigure()
  const { field, form, set, values } = useForm({
    initial: { text: textOf(saved) },
    labels: { text: 'Configuration' },
    async send({ text }) {
      set({ text: textOf(await put(JSON.parse(text))) })
      announce('Saved.', { undo: () => put(saved) })
    },
  })
  const problem = findProblem(values.text, hosts)
  return (
    <Form {...form} verb="Save" {...(problem !== undefined && { isDisabled: true })}>
      <TextAreaField
        {...field('text')}
        label="Configuration"
        description="One primary domain. Redirects keep path and query. All other domains serve the same site."
        minRows={6}
        spellCheck={false}
        error={problem}
      />
    </Form>
  )
}

const textOf = (configuration: Configuration): string => JSON.stringify(configuration, null, 2)

/** One line for each problem. What is no configuration at all, the server says in detail. */
function findProblem(text: string, hosts: readonly string[]): string | undefined {
  let value: Configuration
  try {
    value = JSON.parse(text)
  } catch (error) {
    return `Invalid JSON${placeOf(text, error)}`
  }
  const isList = Array.isArray(value?.redirects) && value.redirects.every((each) => each !== null)
  if (!isList) return 'The configuration must be an object with primary and redirects.'
  const problems = problemsOf(value, hosts).map(({ message }) => message)
  return problems.length > 0 ? problems.join('\n') : undefined
}

/** ` (line 3)`, from the line or the position in the browser's message; empty without either. */
function placeOf(text: string, error: unknown): string {
  const [, line, position] = /line (\d+)|position (\d+)/.exec(String(error)) ?? []
  const lineNumber = line ?? (position && text.slice(0, Number(position)).split('\n').length)
  return lineNumber ? ` (line ${lineNumber})` : ''
}

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
