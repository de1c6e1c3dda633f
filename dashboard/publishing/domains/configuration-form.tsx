// The configuration of all domains as JSON, checked while it is typed.
import { Alert, Button, Group, List, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { ManagementError } from '../../../client/management-client.ts'
import { useAnnounce } from '../../components/announcements.tsx'
import { Loaded } from '../../components/page.tsx'
import { explain } from '../../platform/api.ts'
import { type Configuration, useConfiguration, useConfigure } from './domain-queries.ts'
import { redirectStatuses } from './redirect-form.tsx'

export function ConfigurationJson({ hosts }: { hosts: string[] }) {
  return (
    <Loaded query={useConfiguration()}>
      {(saved) => <Form key={JSON.stringify(saved)} hosts={hosts} saved={saved} />}
    </Loaded>
  )
}

function Form({ hosts, saved }: { hosts: string[]; saved: Configuration }) {
  const savedText = JSON.stringify(saved, null, 2)
  const [text, setText] = useState(savedText)
  const { configure, put } = useConfigure()
  const announce = useAnnounce()
  const problems = findProblems(text, hosts)
  const details = configure.error instanceof ManagementError ? configure.error.details : []

  function save(): void {
    // The form is mounted again with the saved text, so the promise announces; the error is shown below.
    put(JSON.parse(text)).then(
      () => announce('Saved.', { undo: () => put(saved) }),
      () => {},
    )
  }

  return (
    <Stack gap="sm">
      <Textarea
        label="Configuration"
        description="One primary domain. Redirects keep path and query. All other domains serve the same site."
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          configure.reset()
        }}
        autosize
        minRows={6}
        maxRows={24}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        error={problems.length > 0}
      />
      {problems.length > 0 && (
        <List size="sm" c="red" aria-live="polite">
          {problems.map((problem) => (
            <List.Item key={problem}>{problem}</List.Item>
          ))}
        </List>
      )}
      {configure.error && (
        <Alert color="red" role="alert">
          {details.map(({ message, path }) => (
            <Text key={path + message} size="sm">
              {path}: {message}
            </Text>
          ))}
          {details.length === 0 && explain(configure.error)}
        </Alert>
      )}
      <Group>
        <Button
          disabled={problems.length > 0 || text === savedText}
          loading={configure.isPending}
          onClick={save}
        >
          Save
        </Button>
        <Button variant="default" disabled={text === savedText} onClick={() => setText(savedText)}>
          Reset
        </Button>
      </Group>
    </Stack>
  )
}

/** The problems of a configuration, in the order of its text. The server validates it again. */
function findProblems(text: string, hosts: readonly string[]): string[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return [`Invalid JSON${placeOf(text, error)}`]
  }
  if (!isRecord(value)) return ['The configuration must be an object with primary and redirects.']
  const { primary = null, redirects } = value
  const problems: string[] = []
  const known = (host: unknown, place: string): void => {
    if (typeof host !== 'string') problems.push(`${place} must be a domain.`)
    else if (!hosts.includes(host))
      problems.push(`${place}: ${host} is not a domain of this project.`)
  }
  if (primary !== null) known(primary, 'primary')
  if (!Array.isArray(redirects)) return [...problems, 'redirects must be a list.']
  const from = redirects.map((each) => (isRecord(each) ? each.from : undefined))
  for (const [i, each] of redirects.entries()) {
    const place = `redirects[${i}]`
    if (!isRecord(each)) {
      problems.push(`${place} must be an object with from, to and status.`)
      continue
    }
    known(each.from, `${place}.from`)
    known(each.to, `${place}.to`)
    if (!isStatus(each.status)) {
      problems.push(`${place}.status must be ${Object.keys(redirectStatuses).join(', ')}.`)
    }
    if (each.from === primary) problems.push(`${place}.from: the primary cannot redirect.`)
    if (each.from === each.to) problems.push(`${place}: it redirects to itself.`)
    else if (from.includes(each.to)) {
      problems.push(`${place}.to: ${String(each.to)} also redirects. Use its target.`)
    }
    if (from.indexOf(each.from) !== i) problems.push(`${place}.from is used twice.`)
  }
  return problems
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** ` (line 3)`, from the line or the position in the browser's message; empty without either. */
function placeOf(text: string, error: unknown): string {
  const [, line, position] = /line (\d+)|position (\d+)/.exec(String(error)) ?? []
  const found = line ?? (position && text.slice(0, Number(position)).split('\n').length)
  return found ? ` (line ${found})` : ''
}

const isStatus = (value: unknown): boolean =>
  typeof value === 'number' && Object.hasOwn(redirectStatuses, value)
