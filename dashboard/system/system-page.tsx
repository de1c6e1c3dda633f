// System: the state of the program, and its traffic.
import { Alert, Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Answer } from '../../client/management-client.ts'
import { CopyValue } from '../components/copy.tsx'
import { Facts } from '../components/facts.tsx'
import { Page } from '../components/page.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Loaded, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { bytes, count, counted } from '../platform/numbers.ts'
import { headOf } from '../platform/page-frames.ts'
import { useGet } from '../platform/requests.ts'
import { span } from '../platform/times.ts'
import { ChecksLink, ChecksSection } from './checks-section.tsx'
import { HistorySection } from './history-section.tsx'
import classes from './system.module.css'

type System = Answer<'GET /system'>

export function Component() {
  const system = useGet('GET /system', {}, { refetchInterval: 10_000 })
  return (
    <Page {...headOf('/system')} actions={<ChecksLink />}>
      <Stack gap="xl">
        <Loaded query={system} loading={<Loading rows={3} height={120} />}>
          {(found) => (
            <Stack gap="lg">
              <Health system={found} />
              <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
                <Program system={found} />
                <BackgroundJobs system={found} />
                <Databases system={found} />
                <Backups system={found} />
                <Processes system={found} />
                <Addresses system={found} />
              </SimpleGrid>
            </Stack>
          )}
        </Loaded>
        {/* Below what is loaded, so that nothing moves it. */}
        {!system.isPending && <HistorySection />}
        {!system.isPending && <ChecksSection />}
      </Stack>
    </Page>
  )
}

function Health({ system }: { system: System }) {
  const { backups, databases, isReady, queues, readOnly } = system
  const offline = databases.filter((database) => !database.isReady).map(({ name }) => name)
  if (!isReady) {
    const which =
      offline.length === 0 ? 'Some parts are not ready.' : `Offline: ${offline.join(', ')}.`
    return (
      <Alert color="red" role="alert" title="Not ready">
        {which} Requests that need them get status 503 until they are back.
      </Alert>
    )
  }
  if (readOnly?.state === 'moved') {
    return (
      <Alert color="red" role="alert" title="The data was moved">
        It is now in {readOnly.target}. Set DATABASE_URL to it and restart. Until then, this
        installation serves the old data, and writes get status 503.
      </Alert>
    )
  }
  if (readOnly) {
    return (
      <Alert color="yellow" role="status" title="Read-only">
        The data is being moved to {readOnly.target}. Writes get status 503.
        {readOnly.until && (
          <>
            {' '}
            Expected end: <Ago time={readOnly.until} />.
          </>
        )}
      </Alert>
    )
  }
  const late = queues.filter(({ oldestSeconds }) => (oldestSeconds ?? 0) > 3600)
  if (late.length > 0) {
    return (
      <Alert color="yellow" role="status" title="Ready">
        Webhook deliveries have been pending for more than an hour in{' '}
        {late.map((each) => each.environment).join(' and ')}.
      </Alert>
    )
  }
  if (backups?.isOld) {
    return (
      <Alert color="yellow" role="status" title="Ready, but without a recent backup">
        {backups.last ? (
          <>
            The last good backup is from <Ago time={backups.last.createdAt} />.
          </>
        ) : (
          'There is no good backup yet.'
        )}{' '}
        {backups.lastFailure}
      </Alert>
    )
  }
  return (
    <Alert color="leaf" role="status" title="Ready">
      {counted(databases.length, 'database')} online.
    </Alert>
  )
}

const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

interface PanelProps {
  title: string
  /** Over all columns. */
  isWide?: boolean
  children: ReactNode
}

function Panel({ children, isWide = false, title }: PanelProps) {
  return (
    <Paper
      withBorder
      p="md"
      component="section"
      className={classes.group ?? ''}
      data-wide={isWide || undefined}
    >
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {children}
    </Paper>
  )
}

function Program({ system }: { system: System }) {
  const { engine, nodeVersion, startedAt, version, workers } = system
  return (
    <Panel title="Program">
      <Facts
        facts={[
          ['Version', version],
          ['Node', nodeVersion],
          ['Database', engines[engine]],
          ['Started', <Ago key="started" time={startedAt} />],
          ['Workers on this node', count(workers)],
        ]}
      />
    </Panel>
  )
}

/** One row for each node and version. */
function Processes({ system: { processes } }: { system: System }) {
  const groups = Map.groupBy(processes, ({ node, version }) => `${node} ${version}`)
  const versions = new Set(processes.map(({ version }) => version)).size
  return (
    <Panel title="Processes" isWide>
      {versions > 1 && (
        <Text mb="xs">An upgrade is in progress: {versions} versions are running.</Text>
      )}
      <Table.ScrollContainer minWidth={0} type="native">
        <Table
          aria-label="Processes"
          className={`${classes.table} ${classes.processes}`}
          data={{
            head: ['Node', 'Version', 'Processes', 'Started'],
            body: [...groups].map(([key, [first, ...others]]) => [
              first?.node,
              first?.version,
              count(1 + others.length),
              first && <Ago key={key} time={first.startedAt} />,
            ]),
          }}
        />
      </Table.ScrollContainer>
    </Panel>
  )
}

function BackgroundJobs({ system: { certificates, deploysUnderWay, queues } }: { system: System }) {
  const length = (value: number | null): string => (value === null ? 'Unknown' : count(value))
  return (
    <Panel title="Background jobs">
      <Facts
        facts={[
          ...queues.map(({ environment, length: open, oldestSeconds }): [string, ReactNode] => [
            `Webhook deliveries, ${environment}`,
            `${length(open)}${oldestSeconds ? `, oldest ${span(oldestSeconds * 1000)}` : ''}`,
          ]),
          ['Deploys in progress', length(deploysUnderWay)],
          ['Active certificates', length(certificates?.inUse ?? null)],
          ['Certificates expiring within a week', length(certificates?.endWithinWeek ?? null)],
          ['Failed renewals', length(certificates?.failing ?? null)],
        ]}
      />
    </Panel>
  )
}

function Databases({ system: { databases } }: { system: System }) {
  return (
    <Panel title="Databases">
      <Table.ScrollContainer minWidth={0} type="native">
        <Table
          aria-label="Databases"
          className={classes.table ?? ''}
          data={{
            head: ['Name', 'State', 'Response time', 'Size'],
            body: databases.map(({ isReady, milliseconds, name, sizeBytes }) => [
              name,
              <StateBadge key="state" tone={isReady ? 'success' : 'danger'}>
                {isReady ? 'Online' : 'Offline'}
              </StateBadge>,
              `${milliseconds.toFixed(1)} ms`,
              sizeBytes === null ? 'Unknown' : bytes(sizeBytes),
            ]),
          }}
        />
      </Table.ScrollContainer>
    </Panel>
  )
}

function Backups({ system: { backups } }: { system: System }) {
  if (!backups) {
    return (
      <Panel title="Backups">
        <Facts facts={[['Scheduled backups', 'Off']]} />
      </Panel>
    )
  }
  const { isOld, last, lastFailure, lastFailureAt, nextAt } = backups
  const isDue = new Date(nextAt).getTime() <= Date.now()
  return (
    <Panel title="Backups">
      <Facts
        facts={[
          [
            'State',
            <StateBadge key="state" tone={isOld ? 'danger' : last ? 'success' : 'progress'}>
              {isOld ? 'Old' : last ? 'Recent' : 'Pending'}
            </StateBadge>,
          ],
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
        ]}
      />
    </Panel>
  )
}

function Addresses({ system: { addresses } }: { system: System }) {
  const { dashboard, httpPort, httpsPort, listen, platformHost, production, staging } = addresses
  return (
    <Panel title="Addresses" isWide>
      <Facts
        facts={[
          ['Production', <CopyValue key="production" value={production} what="the base address" />],
          ['Staging', <CopyValue key="staging" value={staging} what="the base address" />],
          ['Dashboard', dashboard],
          ['Projects', `*.${platformHost}`],
          [
            'Listening on',
            <Text key="listening" span inherit>
              {listen === '::' || listen === '0.0.0.0' ? 'all addresses' : listen}, port {httpPort}
              {httpsPort === null ? '; HTTPS is off' : `; HTTPS on port ${httpsPort}`}
            </Text>,
          ],
        ]}
      />
    </Panel>
  )
}
