// Traffic: requests, errors and latency per minute, as plots and as a table.
import { Group, Paper, Stack, Text } from '@mantine/core'
import { keepPreviousData } from '@tanstack/react-query'
import type { Answer } from '../../client/management-client.ts'
import { SelectField } from '../components/form.tsx'
import { useFilters } from '../components/inputs.tsx'
import { Loaded, Loading, Section } from '../components/page.tsx'
import { findLabels, Plot, PlotValues } from '../components/plot.tsx'
import { atClock, count, counted } from '../platform/formats.ts'
import { useGet } from '../platform/requests.ts'

type History = Answer<'GET /system/history'>

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
  const minutes = spans.find(({ value }) => value === get('minutes'))?.value ?? '360'
  const environment = environments.find(({ value }) => value === get('of'))?.value ?? 'production'
  const history = useGet(
    'GET /system/history',
    { query: { minutes: Number(minutes) } },
    { placeholderData: keepPreviousData, refetchInterval: 30_000 },
  )
  return (
    <Section
      id="traffic"
      title="Traffic"
      actions={
        <Group gap="xs">
          <SelectField
            aria-label="Service"
            value={environment}
            onChange={(of) => set({ of })}
            data={environments}
          />
          <SelectField
            aria-label="Period"
            value={minutes}
            onChange={(period) => set({ minutes: period })}
            data={spans}
          />
        </Group>
      }
    >
      <Loaded query={history} loading={<Loading rows={3} height={225} />}>
        {(found) => (
          <Stack>
            <Plots {...trafficOf(found, environment)} />
            <Values {...trafficOf(found, environment)} />
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}

/** The traffic of a service, without the current minute, which is incomplete. */
function trafficOf({ minutes, series }: History, environment: string) {
  const complete = minutes.slice(0, -1)
  const found = series.find((each) => each.environment === environment)
  const counts = (name: 'requests' | 'errors') => complete.map((_, i) => found?.[name][i] ?? 0)
  const times = (name: 'p50Ms' | 'p95Ms' | 'p99Ms') =>
    complete.map((_, i) => found?.[name][i] ?? null)
  return {
    minutes: complete,
    requests: counts('requests'),
    errors: counts('errors'),
    latency: [
      { name: 'p50', values: times('p50Ms'), look: 'usual' as const },
      { name: 'p95', values: times('p95Ms'), look: 'second' as const },
      { name: 'p99', values: times('p99Ms'), look: 'third' as const },
    ],
  }
}

type Traffic = ReturnType<typeof trafficOf>

function Plots({ errors, latency, minutes, requests }: Traffic) {
  const axis = {
    times: minutes,
    marks: findLabels(minutes),
    formatTime: atClock,
    empty: 'No requests.',
  }
  const total = requests.reduce((sum, each) => sum + each, 0)
  const failed = errors.reduce((sum, each) => sum + each, 0)
  return (
    <Paper withBorder p="md">
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
          {...axis}
          lines={[{ name: 'Requests', values: requests, look: 'usual' }]}
          format={count}
        />
        {failed > 0 && (
          <Plot
            title="Errors per minute"
            {...axis}
            lines={[{ name: 'Errors', values: errors, look: 'bad' }]}
            format={count}
          />
        )}
        <Plot
          title="Latency"
          {...axis}
          lines={latency}
          format={(value) => `${Number(value.toPrecision(3))} ms`}
        />
      </Stack>
    </Paper>
  )
}

/** The values of the plots by minute, newest first, without minutes that had no requests. */
function Values({ errors, latency, minutes, requests }: Traffic) {
  const rows = minutes.flatMap((minute, i) => {
    if (!requests[i]) return []
    const times = latency.map(({ values }) => values[i]?.toFixed(1))
    return [
      [
        atClock(minute),
        count(requests[i]),
        count(errors[i] ?? 0),
        ...times.map((time) => (time === undefined ? '' : `${time} ms`)),
      ],
    ]
  })
  return (
    <PlotValues
      title="Requests by the minute"
      head={['Minute', 'Requests', 'Errors', 'p50', 'p95', 'p99']}
      rows={rows.reverse()}
      empty="No requests."
    >
      Per minute, for all processes.
    </PlotValues>
  )
}
