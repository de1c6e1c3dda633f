// The configuration of all domains as JSON, checked while it is typed by the rules of the server.
import { problemsOf } from '#domains/configuration/domain-configuration.ts'
import { Form, TextAreaField, useForm } from '../../components/form.tsx'
import { Loaded } from '../../components/page.tsx'
import { announce } from '../../platform/announcements.ts'
import { type Configuration, useConfiguration, useConfigure } from './domain-queries.ts'

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
  const found = line ?? (position && text.slice(0, Number(position)).split('\n').length)
  return found ? ` (line ${found})` : ''
}
