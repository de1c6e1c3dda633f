// System: what needs attention, then the state of the program in lists of the same form, its traffic and the checks.
import { Alert, Box, Button, Flex, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { keepPreviousData } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Answer } from '../../client/management-client.ts'
import { CopyValue } from '../components/copy.tsx'
import { SelectField } from '../components/form.tsx'
import { useChoice } from '../components/inputs.tsx'
import { Loaded, Loading, Page, Section } from '../components/page.tsx'
import { SettingsParts } from '../components/parts.tsx'
import { findLabels, Plot, PlotValues } from '../components/plot.tsx'
import { Ago, type Fact, Facts, PageLink, StateBadge, type Tone } from '../components/values.tsx'
import { atClock, bytes, capitalized, count, counted, span } from '../platform/formats.ts'
import { useGet } from '../platform/requests.ts'

type System = Answer<'GET /system'>

const parts = {
  health: 'Health',
  version: 'Version',
  databases: 'Databases',
  backups: 'Backups',
  certificates: 'Certificates and deploys',
  webhooks: 'Webhook deliveries',
  processes: 'Processes',
  addresses: 'Addresses',
  traffic: 'Traffic',
  checks: 'Checks',
}

interface Part {
  id: keyof typeof parts
  lead?: ReactNode
  facts: Fact[]
}

export function Component() {
  const system = useGet('GET /system', { refetchInterval: 10_000 })
  return (
    <Page title="System" lead="The program that runs the store and publishes the projects.">
      <SettingsParts label="System" parts={parts}>
        <Loaded query={system} loading={<Loading rows={3} height={120} />}>
          {(status) => (
            <>
              <section id="health" aria-label={parts.health}>
                <Health system={status} />
              </section>
              {partsOf(status).map(({ facts, id, lead }) => (
                <Section key={id} id={id} title={parts[id]} lead={lead}>
                  <Paper withBorder px="md" py={4}>
                    <Facts isRuled facts={facts} />
                  </Paper>
                </Section>
              ))}
            </>
          )}
        </Loaded>
        {/* Below what is loaded, so that nothing moves it. */}
        {!system.isPending && <HistorySection />}
        {!system.isPending && <ChecksSection />}
      </SettingsParts>
    </Page>
  )
}

function Health({ system }: { system: System }) {
  const { color, text, title } = healthOf(system)
  return (
    <Alert color={color} role={color === 'red' ? 'alert' : 'status'} title={title}>
      <div>{text}</div>
      <ChecksSummary />
    </Alert>
  )
}

function healthOf({ backups, databases, isReady, queues }: System): {
  color: 'red' | 'yellow' | 'leaf'
  title: string
  text: ReactNode
} {
  const offline = databases.filter((database) => !database.isReady).map(({ name }) => name)
  if (!isReady) {
    const which =
      offline.length === 0 ? 'Some parts are not ready.' : `Offline: ${offline.join(', ')}.`
    const text = `${which} Requests that need them get status 503 until they are back.`
    return { color: 'red', title: 'Not ready', text }
  }
  const late = queues.filter(({ oldestSeconds }) => (oldestSeconds ?? 0) > 3600)
  if (late.length > 0) {
    const where = late.map((each) => each.environment).join(' and ')
    const text = `Webhook deliveries have been pending for more than an hour in ${where}.`
    return { color: 'yellow', title: 'Ready, but webhook deliveries are late', text }
  }
  if (backups?.isOld) {
    const { last, lastFailure } = backups
    const text = last ? (
      <>
        The last good backup is from <Ago time={last.createdAt} />. {lastFailure}
      </>
    ) : (
      `There is no good backup yet. ${lastFailure ?? ''}`
    )
    return { color: 'yellow', title: 'Ready, but without a recent backup', text }
  }
  const text = `${counted(databases.length, 'database')} online.`
  return { color: 'leaf', title: 'Ready', text }
}

const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** The parts of the page that are lists of facts, in their order. */
function partsOf(system: System): Part[] {
  const { engine, nodeVersion, processes, startedAt, version, workers } = system
  const { certificates, deploysUnderWay } = system
  const versions = new Set(processes.map((each) => each.version)).size
  return [
    {
      id: 'version',
      facts: [
        ['Animal Store', version],
        ['Node', nodeVersion],
        ['Database', engines[engine]],
        ['Started', <Ago key="started" time={startedAt} />],
        ['Workers on this node', count(workers)],
      ],
    },
    { id: 'databases', facts: system.databases.map(factOfDatabase) },
    { id: 'backups', facts: factsOfBackups(system.backups) },
    {
      id: 'certificates',
      facts: [
        ['Active certificates', orDash(certificates?.inUse)],
        ['Expiring within a week', orDash(certificates?.endWithinWeek)],
        ['Failed renewals', orDash(certificates?.failing)],
        ['Deploys in progress', orDash(deploysUnderWay)],
      ],
    },
    {
      id: 'webhooks',
      facts: system.queues.map(({ environment, length, oldestSeconds }) => {
        const oldest = oldestSeconds ? `, oldest ${span(oldestSeconds * 1000)}` : ''
        return [capitalized(environment), `${orDash(length)} pending${oldest}`]
      }),
    },
    {
      id: 'processes',
      lead: versions > 1 && `An upgrade is in progress: ${versions} versions are running.`,
      facts: factsOfProcesses(processes, versions),
    },
    { id: 'addresses', facts: factsOfAddresses(system.addresses) },
  ]
}

const orDash = (value: number | null | undefined): string =>
  value == null ? 'Unknown' : count(value)

type Database = System['databases'][number]

function factOfDatabase({ isReady, milliseconds, name, sizeBytes }: Database): Fact {
  return [
    capitalized(name),
    <Values key={name}>
      <StateBadge tone={isReady ? 'success' : 'danger'}>
        {isReady ? 'Online' : 'Offline'}
      </StateBadge>
      <span>{sizeBytes === null ? 'Unknown size' : bytes(sizeBytes)}</span>
      <span>Response {milliseconds.toFixed(1)} ms</span>
    </Values>,
  ]
}

/** One for each node and version. */
function factsOfProcesses(processes: System['processes'], versions: number): Fact[] {
  const groups = Map.groupBy(processes, ({ node, version }) => `${node} ${version}`)
  return [...groups].map(([key, all]): Fact => {
    const [{ node, startedAt, version }] = all as [System['processes'][number]]
    return [
      versions > 1 ? key : node,
      <Values key={key}>
        <span>{counted(all.length, 'process', 'processes')}</span>
        <span>Version {version}</span>
        <span>
          Started <Ago time={startedAt} />
        </span>
      </Values>,
    ]
  })
}

/** Several values of a fact, which stand below those of the next one. */
const Values = ({ children }: { children: ReactNode }) => (
  <SimpleGrid
    minColWidth="6.75rem"
    autoFlow="auto-fit"
    spacing="0.75rem"
    verticalSpacing="0.1rem"
    fz="sm"
    style={{ alignItems: 'center' }}
  >
    {children}
  </SimpleGrid>
)

function factsOfBackups(backups: System['backups']): Fact[] {
  const state = (tone: Tone, text: string) => (
    <StateBadge key="state" tone={tone}>
      {text}
    </StateBadge>
  )
  if (!backups) return [['Scheduled backups', state('action', 'Off')]]
  const { isOld, last, lastFailure, lastFailureAt, nextAt } = backups
  const isDue = new Date(nextAt).getTime() <= Date.now()
  const recent = last ? state('success', 'Recent') : state('progress', 'Pending')
  return [
    ['State', isOld ? state('danger', 'Old') : recent],
    ['Last backup', last ? <Ago key="last" time={last.createdAt} /> : 'None'],
    ['Size', last && bytes(last.sizeBytes)],
    ['Duration', last && span(last.seconds * 1000)],
    ['Next backup', isDue ? 'Now' : <Ago key="next" time={nextAt} />],
    [
      'Last failure',
      lastFailureAt && (
        <Text key="failure" span inherit>
          <Ago time={lastFailureAt} />: {lastFailure}
        </Text>
      ),
    ],
    ['Machine', last?.node ?? null],
    ['File', last && <CopyValue key="file" value={last.file} what="the path" />],
  ]
}

function factsOfAddresses(addresses: System['addresses']): Fact[] {
  const { dashboard, httpPort, httpsPort, listen, platformHost, production, staging } = addresses
  const all = listen === '::' || listen === '0.0.0.0' ? 'all addresses' : listen
  const https = httpsPort === null ? 'HTTPS is off' : `HTTPS on port ${httpsPort}`
  return [
    ['Production', <CopyValue key="production" value={production} what="the base address" />],
    ['Staging', <CopyValue key="staging" value={staging} what="the base address" />],
    ['Dashboard', dashboard],
    ['Projects', `*.${platformHost}`],
    ['Listening on', `${all}, port ${httpPort}; ${https}`],
  ]
}

/** Requests, errors and latency per minute, as plots and as a table. */
type History = Answer<'GET /system/history'>

const spans = [
  { value: '60', label: 'Last hour' },
  { value: '180', label: 'Last 3 hours' },
  { value: '360', label: 'Last 6 hours' },
]

const services = [
  { value: 'production', label: 'Production API' },
  { value: 'staging', label: 'Staging API' },
  { value: 'sites', label: 'Published sites' },
  { value: 'management', label: 'Dashboard and management API' },
  { value: 'edge', label: 'Challenges and redirects' },
]

function HistorySection() {
  const period = useChoice('minutes', spans, '360')
  const service = useChoice('of', services, 'production')
  const history = useGet('GET /system/history', {
    query: { minutes: Number(period.value) },
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  })
  return (
    <Section
      id="traffic"
      title="Traffic"
      actions={
        <Group gap="xs">
          <SelectField aria-label="Service" {...service} />
          <SelectField aria-label="Period" {...period} />
        </Group>
      }
    >
      <Loaded query={history} loading={<Loading rows={3} height={225} />}>
        {(status) => <Plots {...trafficOf(status, service.value)} />}
      </Loaded>
    </Section>
  )
}

/** The traffic of a service, without the current minute, which is incomplete. */
function trafficOf({ minutes, series }: History, environment: string) {
  const complete = minutes.slice(0, -1)
  const own = series.find((each) => each.environment === environment)
  const counts = (name: 'requests' | 'errors') => complete.map((_, i) => own?.[name][i] ?? 0)
  const times = (name: 'p50Ms' | 'p95Ms' | 'p99Ms') =>
    complete.map((_, i) => own?.[name][i] ?? null)
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

function Plots({ errors, latency, minutes, requests }: ReturnType<typeof trafficOf>) {
  const axis = {
    times: minutes,
    marks: findLabels(minutes),
    formatTime: atClock,
    empty: 'No requests.',
  }
  const total = requests.reduce((sum, each) => sum + each, 0)
  const failed = errors.reduce((sum, each) => sum + each, 0)
  /** The newest first, without minutes that had no requests. */
  const rows = minutes.flatMap((minute, i) => {
    if (!requests[i]) return []
    const times = latency.map(({ values }) => values[i]?.toFixed(1))
    const shown = times.map((time) => (time === undefined ? '' : `${time} ms`))
    return [[atClock(minute), count(requests[i]), count(errors[i] ?? 0), ...shown]]
  })
  return (
    <Stack>
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
      <PlotValues
        title="Requests by the minute"
        head={['Minute', 'Requests', 'Errors', 'p50', 'p95', 'p99']}
        rows={rows.reverse()}
        empty="No requests."
      >
        Per minute, for all processes.
      </PlotValues>
    </Stack>
  )
}

type Checks = Answer<'GET /system/checks'>
type Finding = Checks['findings'][number]

const areas: Record<Finding['area'], string> = {
  configuration: 'Configuration',
  database: 'Database',
  disk: 'Disk',
  backups: 'Backups',
  objects: 'Object storage',
  ports: 'Ports',
  dns: 'DNS',
  outside: 'Reachability',
  authority: 'Certificate authority',
  time: 'Clock',
  mail: 'Mail',
  connect: 'Domain Connect',
  proxies: 'Proxies',
}

const badges: Record<Finding['status'], { tone: Tone; text: string }> = {
  problem: { tone: 'danger', text: 'Problem' },
  warning: { tone: 'action', text: 'Warning' },
  ok: { tone: 'success', text: 'OK' },
  skipped: { tone: 'neutral', text: 'Skipped' },
}

const severities = Object.keys(badges)

const useChecks = () =>
  // They ask other servers: only when the page opens, and on request.
  useGet('GET /system/checks', {
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
    gcTime: 0,
  })

/** What needs attention, in one line at the top: the checks may take seconds, and must not move what is below. */
function ChecksSummary() {
  const { data, error } = useChecks()
  const urgent = data?.findings.filter(({ fix }) => fix !== null) ?? []
  const named = [...new Set(urgent.map(({ area }) => areas[area]))].join(', ')
  const text = data
    ? urgent.length > 0
      ? summaryOf(data.findings).slice(0, -1)
      : `All ${counted(data.findings.length, 'check')} passed.`
    : error
      ? 'The checks could not run.'
      : 'Running the checks…'
  return (
    <Group fz="sm" lh="sm" gap="0 0.75rem" mt="0.25rem">
      <span>
        {text}
        {urgent.length > 0 && (
          // On a phone, the summary stays in one line, so that nothing below it moves.
          <Text span inherit visibleFrom="xs">
            : {named}
          </Text>
        )}
        {urgent.length > 0 && '.'}
      </span>{' '}
      <PageLink to="#checks" replace inherit>
        Show checks
      </PageLink>
    </Group>
  )
}

/** The checks of the installation: problems and warnings with what to do, everything else on request. */
function ChecksSection() {
  const checks = useChecks()
  return (
    <Section
      id="checks"
      title="Checks"
      lead="The configuration and what the program needs, as with animal-store doctor."
      actions={
        <Button
          size="compact-sm"
          loading={checks.isFetching && checks.data !== undefined}
          onClick={() => void checks.refetch()}
        >
          Run again
        </Button>
      }
    >
      <Loaded query={checks} loading={<Loading rows={1} height={92} />}>
        {(status) => <Findings checks={status} />}
      </Loaded>
    </Section>
  )
}

function Findings({ checks: { findings, ranAt } }: { checks: Checks }) {
  const [isOpen, setOpen] = useState(false)
  const sorted = findings.toSorted(
    (a, b) => severities.indexOf(a.status) - severities.indexOf(b.status),
  )
  const urgent = sorted.filter(({ fix }) => fix !== null)
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Text role="status">
            {summaryOf(findings)}{' '}
            <Text span size="sm" c="dimmed">
              {counted(findings.length, 'check')}, <Ago time={ranAt} />
            </Text>
          </Text>
          <Button size="compact-sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Hide passed checks' : 'Show all checks'}
          </Button>
        </Group>
        <FindingList findings={isOpen ? sorted : urgent} />
      </Stack>
    </Paper>
  )
}

function FindingList({ findings }: { findings: Finding[] }) {
  if (findings.length === 0) return null
  return (
    <ul aria-label="Findings">
      {findings.map(({ area, fix, message, status, subject }) => (
        <Flex
          component="li"
          key={`${area} ${subject} ${message}`}
          direction={{ base: 'column', xs: 'row' }}
          align="flex-start"
          gap="0.25rem 0.75rem"
          py="0.6rem"
          style={{ borderTop: '1px solid var(--line)' }}
        >
          <Box w="5.5rem" flex="none">
            <StateBadge tone={badges[status].tone}>{badges[status].text}</StateBadge>
          </Box>
          <Stack gap="0.15rem" miw={0} style={{ overflowWrap: 'anywhere' }}>
            <Text fw={600} size="sm">
              {areas[area]}
              {subject && (
                <Text span inherit fw={400} c="dimmed">
                  {' '}
                  {subject}
                </Text>
              )}
            </Text>
            <Text size="sm">{message}</Text>
            {fix && <Text size="sm">{fix}</Text>}
          </Stack>
        </Flex>
      ))}
    </ul>
  )
}

function summaryOf(findings: Finding[]): string {
  const countOf = (status: Finding['status']) =>
    findings.filter((each) => each.status === status).length
  const found = (['problem', 'warning'] as const).filter((status) => countOf(status) > 0)
  if (found.length === 0) return 'No problems.'
  return `${found.map((status) => counted(countOf(status), status)).join(', ')}.`
}
