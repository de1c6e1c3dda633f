// The same numbers as the plots, by the minute, the newest first: minutes without requests are left out.
import { Table, Text } from '@mantine/core'
import { count } from '../platform/numbers.ts'
import { atClock } from '../platform/times.ts'
import classes from './history-table.module.css'
import type { Series } from './system-queries.ts'

export function HistoryTable({ minutes, series }: { minutes: string[]; series: Series }) {
  const rows = minutes
    .map((minute, i) => ({
      minute,
      requests: series.requests[i] ?? 0,
      errors: series.errors[i] ?? 0,
      times: [series.p50Ms[i], series.p95Ms[i], series.p99Ms[i]],
    }))
    .filter(({ requests }) => requests > 0)
    .reverse()
  if (rows.length === 0) return <Text c="dimmed">No request was made.</Text>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <div className={classes.frame} tabIndex={0}>
      <Table aria-label="Requests by the minute" stickyHeader verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            {['Minute', 'Requests', 'Errors', 'Half within', '95 % within', '99 % within'].map(
              (title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ),
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ errors, minute, requests, times }) => (
            <Table.Tr key={minute}>
              <Table.Td>{atClock(minute)}</Table.Td>
              <Table.Td>{count(requests)}</Table.Td>
              <Table.Td>{count(errors)}</Table.Td>
              {times.map((time, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: always the same three
                <Table.Td key={i}>{time == null ? '' : `${time.toFixed(1)} ms`}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
