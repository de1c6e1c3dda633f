// What was found beside what is expected, with the characters marked that differ.
import { Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { LastCheck } from '../../../server/publishing/domains/checks/check-schema.ts'
import classes from './difference.module.css'

type Diagnostic = LastCheck['diagnostics'][number]
type Span = { start: number; end: number }

export function Difference({ diagnostic }: { diagnostic: Diagnostic }) {
  const { expected, found } = diagnostic
  const difference = isTelling(diagnostic) ? diagnostic.difference : null
  if (found.length === 0 && expected.length === 0) return null
  return (
    <Stack gap={6}>
      <dl className={classes.pairs}>
        <dt>Found</dt>
        <dd>
          {found.length === 0 && <Text c="dimmed">nothing</Text>}
          {found.map((value, i) => (
            <code key={value} data-kind="found">
              {i === 0 ? marked(value, difference?.found ?? []) : value}
            </code>
          ))}
        </dd>
        {expected.length > 0 && (
          <>
            <dt>Expected</dt>
            <dd>
              {expected.map((value, i) => (
                <code key={value} data-kind="expected">
                  {i === 0 ? marked(value, difference?.expected ?? []) : value}
                </code>
              ))}
            </dd>
          </>
        )}
      </dl>
      {difference?.notes.map((note) => (
        <Text key={note} size="sm" c="dimmed">
          {note}
        </Text>
      ))}
    </Stack>
  )
}

/** Where more differs than is the same, marks only confuse: an address is no name. */
function isTelling({ difference, expected: [expected = ''], found: [found = ''] }: Diagnostic) {
  const marks = (spans: readonly Span[] = []): number =>
    spans.reduce((sum, { end, start }) => sum + end - start, 0)
  return (
    2 * marks(difference?.found) <= Array.from(found).length &&
    2 * marks(difference?.expected) <= Array.from(expected).length
  )
}

/** Spans count characters, as Array.from gives them. */
function marked(value: string, spans: readonly Span[]): ReactNode[] {
  const characters = Array.from(value)
  const text = (start: number, end?: number): string => characters.slice(start, end).join('')
  const parts: ReactNode[] = []
  let at = 0
  for (const { end, start } of spans) {
    parts.push(text(at, start), <mark key={start}>{text(start, end)}</mark>)
    at = end
  }
  return [...parts, text(at)]
}
