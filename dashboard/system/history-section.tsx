// Requests, errors and latency over the last hours, as plots and as a table.
import { Button, Group, NativeSelect, Paper, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Failed, Loading } from '../components/states.tsx'
import { count, counted } from '../platform/numbers.ts'
import { useFilters } from '../platform/use-filters.ts'
import { HistoryTable } from './history-table.tsx'
import { Plot } from './plot.tsx'
import classes from './system-facts.module.css'
import { type Series, type SystemHistory, useSystemHistory } from './system-queries.ts'

const spans = [
  { value: '60', label: 'last hour' },
  { value: '180', label: 'last 3 hours' },
  { value: '360', label: 'last 6 hours' },
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
  const wanted = environments.find(({ value }) => value === get('of'))?.value ?? 'production'
  const history = useSystemHistory(Number(minutes))
  return (
    <section aria-labelledby="history">
      <Group justify="space-between" align="flex-end" mb="sm">
        <Title order={2} size="h4" id="history">
          Over the last hours
        </Title>
        <Group gap="xs">
          <NativeSelect
            aria-label="Requests to"
            value={wanted}
            onChange={(event) => set({ of: event.currentTarget.value })}
            data={environments}
          />
          <NativeSelect
            aria-label="Time"
            value={minutes}
            onChange={(event) => set({ minutes: event.currentTarget.value })}
            data={spans}
          />
        </Group>
      </Group>
      {!history.data && history.error && (
        <Failed error={history.error} retry={() => void history.refetch()} />
      )}
      {!history.data && !history.error && <Loading rows={3} height={225} />}
      {history.data && (
        <Stack>
          <Plots {...seriesOf(history.data, wanted)} />
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              By the minute, of all processes. Use the pointer or the arrow keys to read a minute.
            </Text>
            <Button
              variant="default"
              size="compact-sm"
              aria-expanded={isTable}
              onClick={() => setTable(!isTable)}
            >
              {isTable ? 'Hide the table' : 'Show as a table'}
            </Button>
          </Group>
          {isTable && <HistoryTable {...seriesOf(history.data, wanted)} />}
        </Stack>
      )}
    </section>
  )
}

/** What there is of an environment, without the minute that is not over. */
function seriesOf(
  { minutes, series }: SystemHistory,
  environment: string,
): { minutes: string[]; series: Series } {
  const over = Math.max(0, minutes.length - 1)
  const nothing = (value: 0 | null): never[] => Array(over).fill(value) as never[]
  const found = series.find((each) => each.environment === environment)
  return {
    minutes: minutes.slice(0, over),
    series: {
      environment,
      requests: found?.requests.slice(0, over) ?? nothing(0),
      errors: found?.errors.slice(0, over) ?? nothing(0),
      p50Ms: found?.p50Ms.slice(0, over) ?? nothing(null),
      p95Ms: found?.p95Ms.slice(0, over) ?? nothing(null),
      p99Ms: found?.p99Ms.slice(0, over) ?? nothing(null),
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
              ? ', none failed'
              : `; ${count(failed)} of them, ${((failed / total) * 100).toFixed(2)} %, failed with a status from 500 on`)}
          .
        </Text>
        <Plot
          title="Requests per minute"
          minutes={minutes}
          lines={[{ name: 'Requests', values: series.requests, look: 'usual' }]}
          format={count}
          empty="No request was made."
        />
        {failed > 0 && (
          <Plot
            title="Errors per minute"
            minutes={minutes}
            lines={[{ name: 'Errors', values: series.errors, look: 'bad' }]}
            format={count}
            empty="No request was made."
          />
        )}
        <Plot
          title="Latency"
          minutes={minutes}
          lines={[
            { name: 'half within', values: series.p50Ms, look: 'usual' },
            { name: '95 % within', values: series.p95Ms, look: 'second' },
            { name: '99 % within', values: series.p99Ms, look: 'third' },
          ]}
          format={(value) => `${Number(value.toPrecision(3))} ms`}
          empty="No request was made."
        />
      </Stack>
    </Paper>
  )
}
