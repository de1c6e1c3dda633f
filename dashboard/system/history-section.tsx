// Traffic of the last hours: requests, errors and latency, as plots and as a table.
import { Button, Group, NativeSelect, Paper, Stack, Table, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Loaded, Loading } from '../components/states.tsx'
import { count, counted } from '../platform/numbers.ts'
import { atClock } from '../platform/times.ts'
import { useFilters } from '../platform/use-filters.ts'
import { Plot } from './plot.tsx'
import classes from './system.module.css'
import { type Series, type SystemHistory, useSystemHistory } from './system-queries.ts'

const spans = [
  { value: '60', label: 'Last hour' },
  { value: '180', label: 'Last 3 hours' },
  { value: '360', label: 'Last 6 hours' },
]

const environments = [
  { value: 'production', label: 'Production API' },
  { value: 'staging', label: 'Staging API' },
  { value: 'sites', label: 'Published sites' },
  { value: 'management', label: 'Dashboard and management API' },
  { value: 'edge', label: 'Challenges and redirects' },
]

export function HistorySection() {
  const { get, set } = useFilters([])
  const [isTable, setTable] = useState(false)
  const minutes = spans.find(({ value }) => value === get('minutes'))?.value ?? '360'
  const environment = environments.find(({ value }) => value === get('of'))?.value ?? 'production'
  const history = useSystemHistory(Number(minutes))
  return (
    <section aria-labelledby="history">
      <Group justify="space-between" align="flex-end" mb="sm">
        <Title order={2} size="h4" id="history">
          Traffic
        </Title>
        <Group gap="xs">
          <NativeSelect
            aria-label="Service"
            value={environment}
            onChange={(event) => set({ of: event.currentTarget.value })}
            data={environments}
          />
          <NativeSelect
            aria-label="Period"
            value={minutes}
            onChange={(event) => set({ minutes: event.currentTarget.value })}
            data={spans}
          />
        </Group>
      </Group>
      <Loaded query={history} loading={<Loading rows={3} height={225} />}>
        {(found) => (
          <Stack>
            <Plots {...seriesOf(found, environment)} />
            <Group justify="space-between">
              <Text size="sm" c="dimmed">
                Per minute, for all processes. Use the pointer or the arrow keys to read values.
              </Text>
              <Button
                variant="default"
                size="compact-sm"
                aria-expanded={isTable}
                onClick={() => setTable(!isTable)}
              >
                {isTable ? 'Hide table' : 'Show as table'}
              </Button>
            </Group>
            {isTable && <HistoryTable {...seriesOf(found, environment)} />}
          </Stack>
        )}
      </Loaded>
    </section>
  )
}

/** The series of an environment, without the current minute, which is incomplete. */
function seriesOf(
  { minutes, series }: SystemHistory,
  environment: string,
): { minutes: string[]; series: Series } {
  const complete = Math.max(0, minutes.length - 1)
  const nothing = (value: 0 | null): never[] => Array(complete).fill(value) as never[]
  const found = series.find((each) => each.environment === environment)
  return {
    minutes: minutes.slice(0, complete),
    series: {
      environment,
      requests: found?.requests.slice(0, complete) ?? nothing(0),
      errors: found?.errors.slice(0, complete) ?? nothing(0),
      p50Ms: found?.p50Ms.slice(0, complete) ?? nothing(null),
      p95Ms: found?.p95Ms.slice(0, complete) ?? nothing(null),
      p99Ms: found?.p99Ms.slice(0, complete) ?? nothing(null),
    },
  }
}

function Plots({ minutes, series }: { minutes: string[]; series: Series }) {
  const total = series.requests.reduce((sum, each) => sum + each, 0)
  const failed = series.errors.reduce((sum, each) => sum + each, 0)
  return (
    <Paper withBorder p="md" className={classes.group ?? ''}>
      <Stack gap="lg">
        <Text size="sm" role="status">
          {counted(total, 'request')}
          {total > 0 &&
            (failed === 0
              ? ', no errors'
              : `, ${counted(failed, 'error')} (5xx), ${((failed / total) * 100).toFixed(2)} %`)}
        </Text>
        <Plot
          title="Requests per minute"
          minutes={minutes}
          lines={[{ name: 'Requests', values: series.requests, look: 'usual' }]}
          format={count}
          empty="No requests."
        />
        {failed > 0 && (
          <Plot
            title="Errors per minute"
            minutes={minutes}
            lines={[{ name: 'Errors', values: series.errors, look: 'bad' }]}
            format={count}
            empty="No requests."
          />
        )}
        <Plot
          title="Latency"
          minutes={minutes}
          lines={[
            { name: 'p50', values: series.p50Ms, look: 'usual' },
            { name: 'p95', values: series.p95Ms, look: 'second' },
            { name: 'p99', values: series.p99Ms, look: 'third' },
          ]}
          format={(value) => `${Number(value.toPrecision(3))} ms`}
          empty="No requests."
        />
      </Stack>
    </Paper>
  )
}

/** The values of the plots by minute, newest first, without minutes that had no requests. */
function HistoryTable({ minutes, series }: { minutes: string[]; series: Series }) {
  const rows = minutes
    .map((minute, i) => ({
      minute,
      requests: series.requests[i] ?? 0,
      errors: series.errors[i] ?? 0,
      times: [series.p50Ms[i], series.p95Ms[i], series.p99Ms[i]],
    }))
    .filter(({ requests }) => requests > 0)
    .reverse()
  if (rows.length === 0) return <Text c="dimmed">No requests.</Text>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling by keyboard needs the focus
    <div className={classes.tableFrame} tabIndex={0}>
      <Table aria-label="Requests by the minute" stickyHeader verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            {['Minute', 'Requests', 'Errors', 'p50', 'p95', 'p99'].map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ errors, minute, requests, times }) => (
            <Table.Tr key={minute}>
              <Table.Td>{atClock(minute)}</Table.Td>
              <Table.Td>{count(requests)}</Table.Td>
              <Table.Td>{count(errors)}</Table.Td>
              {times.map((time, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change places
                <Table.Td key={i}>{time == null ? '' : `${time.toFixed(1)} ms`}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
