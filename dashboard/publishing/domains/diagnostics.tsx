// The diagnostics of a domain: what was found, what is expected, how to fix it. On the page, and as plain text without
// secrets for the support of a DNS provider or an operator.

import { Accordion, Box, Center, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CheckIcon, CrossIcon, RefreshIcon, WarningIcon } from '../../components/icons.tsx'
import { Note } from '../../components/values.tsx'
import { atClock } from '../../platform/formats.ts'
import type { Domain, LastCheck, Removal } from './domain-queries.ts'
import classes from './domains.module.css'
import { ZoneLines } from './record.tsx'

type Diagnostic = LastCheck['diagnostics'][number]

const looks = {
  blocks: { Icon: CrossIcon, title: 'Blocking', c: 'var(--mantine-color-red-filled)' },
  waits: { Icon: RefreshIcon, title: 'Pending', c: 'light-dark(#1864ab, #74c0fc)' },
  warns: { Icon: WarningIcon, title: 'Warning', c: 'light-dark(#8a5a00, #ffcb3d)' },
  fine: { Icon: CheckIcon, title: 'OK', c: 'var(--mantine-primary-color-filled)' },
} as const

export function Diagnostics({ diagnostics }: { diagnostics: Diagnostic[] }) {
  return (
    <Accordion multiple variant="contained" order={4}>
      {diagnostics.map((diagnostic, i) => {
        const { code, severity, title } = diagnostic
        const { Icon, c, title: word } = looks[severity]
        // Part of an id, so without spaces.
        const key = `${code}-${i}`
        return (
          <Accordion.Item key={key} value={key}>
            <Accordion.Control>
              <Group gap="sm" wrap="nowrap" align="flex-start">
                <Center inline mt="0.2rem" c={c} role="img" aria-label={word} title={word}>
                  <Icon size={16} />
                </Center>
                <Text component="span" fw={600}>
                  {title}
                </Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap="sm">
                <DiagnosticBody diagnostic={diagnostic} />
                <Note size="xs">{code}</Note>
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        )
      })}
    </Accordion>
  )
}

/** What was found, what is expected, and what to do. */
export function DiagnosticBody({ diagnostic }: { diagnostic: Diagnostic }) {
  const { detail, fix, until } = diagnostic
  return (
    <Stack gap="sm">
      <Text size="sm">{detail}</Text>
      <Difference diagnostic={diagnostic} />
      {fix && (
        <Box pl="0.9rem" style={{ borderLeft: '3px solid var(--mantine-primary-color-filled)' }}>
          <Text fw={600} size="sm">
            What to do
          </Text>
          <Text size="sm">{fix.text}</Text>
          <ZoneLines lines={fix.zoneLines} />
        </Box>
      )}
      {until && <Note>Until about {atClock(until)}.</Note>}
    </Stack>
  )
}

type Span = { start: number; end: number }

/** The found and the expected values, with the differences marked. */
function Difference({ diagnostic }: { diagnostic: Diagnostic }) {
  const { difference, expected, found } = diagnostic
  if (found.length === 0 && expected.length === 0) return null
  const codesOf = (kind: 'found' | 'expected') =>
    diagnostic[kind].map((value, i) => (
      <code key={value} data-kind={kind}>
        {i === 0 ? marked(value, difference?.[kind] ?? []) : value}
      </code>
    ))
  return (
    <Stack gap={6}>
      <dl className={classes.pairs}>
        <dt>Found</dt>
        <dd>
          {found.length === 0 && <Text c="dimmed">Nothing</Text>}
          {codesOf('found')}
        </dd>
        {expected.length > 0 && (
          <>
            <dt>Expected</dt>
            <dd>{codesOf('expected')}</dd>
          </>
        )}
      </dl>
      {difference?.notes.map((note) => (
        <Note key={note}>{note}</Note>
      ))}
    </Stack>
  )
}

/** Spans count Unicode characters. */
function marked(value: string, spans: readonly Span[]): ReactNode[] {
  const characters = Array.from(value)
  const text = (start: number, end?: number): string => characters.slice(start, end).join('')
  const pieces: ReactNode[] = []
  let at = 0
  for (const { end, start } of spans) {
    pieces.push(text(at, start), <mark key={start}>{text(start, end)}</mark>)
    at = end
  }
  return [...pieces, text(at)]
}

/** The diagnostics of the last check, with found and expected values. */
export function textOfDiagnostics({ check, host, status }: Domain, link: string): string {
  const state = `${host}: ${status.title}`
  const head = [state, `Checked: ${check?.at ?? 'not yet'}`, `Link: ${link}`].join('\n')
  return [head, ...(check?.diagnostics ?? []).map(textOfDiagnostic)].join('\n\n')
}

function textOfDiagnostic({ code, detail, expected, fix, found, title }: Diagnostic): string {
  return [
    `${code}: ${title}`,
    detail,
    ...found.map((value) => `Found:    ${value}`),
    ...(found.length === 0 && expected.length > 0 ? ['Found:    nothing'] : []),
    ...expected.map((value) => `Expected: ${value}`),
    ...(fix ? [`What to do: ${fix.text}`] : []),
  ].join('\n')
}

/** That a removed domain is offline, and how that was tested. `at`: RFC 3339. */
export function textOfRemoval(removed: Removal, at: string): string {
  const { heldUntil, host, offline, records } = removed
  const tested = offline
    ? [
        `Offline after: ${offline.seconds.toFixed(2)} s`,
        `Processes that closed their connections: ${offline.nodes.acknowledged} of ${offline.nodes.living}`,
        `Closed connections: ${offline.connectionsCut}`,
        `TLS handshake: ${offline.tls?.replace('_', ' ') ?? 'not tested'}`,
        `HTTP request: ${offline.http === null ? 'not tested' : `status ${offline.http}`}`,
      ]
    : ['It was not served yet.']
  return [
    `${host} was removed`,
    `Removed: ${at}`,
    ...tested,
    ...records.map(({ name, type, value }) => `DNS record to delete: ${name} ${type} ${value}`),
    ...(heldUntil === null ? [] : [`Reserved until: ${heldUntil}`]),
  ].join('\n')
}
