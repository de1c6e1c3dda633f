// System: what needs attention, then the state of the program in lists of the same form, its traffic and the checks.
import { Alert, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Answer } from '../../client/management-client.ts'
import { CopyValue } from '../components/copy.tsx'
import { type Fact, Facts } from '../components/facts.tsx'
import { Page, Section } from '../components/page.tsx'
import { SettingsParts } from '../components/settings-layout.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Loaded, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { bytes, capitalized, count, counted } from '../platform/numbers.ts'
import { useGet } from '../platform/requests.ts'
import { span } from '../platform/times.ts'
import { ChecksSection, ChecksSummary } from './checks-section.tsx'
import { HistorySection } from './history-section.tsx'
import classes from './system.module.css'

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

export function Component() {
  const system = useGet('GET /system', {}, { refetchInterval: 10_000 })
  return (
    <Page title="System" lead="The program that runs the store and publishes the projects.">
      <SettingsParts label="System" parts={parts}>
        <Loaded query={system} loading={<Loading rows={3} height={120} />}>
          {(found) => (
            <>
              <section id="health" aria-label={parts.health}>
                <Health system={found} />
              </section>
              <Version system={found} />
              <Databases system={found} />
              <Backups system={found} />
              <Certificates system={found} />
              <Webhooks system={found} />
              <Processes system={found} />
              <Addresses system={found} />
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
  const { children, color, title } = healthOf(system)
  return (
    <Alert color={color} role={color === 'red' ? 'alert' : 'status'} title={title}>
      <div>{children}</div>
      <ChecksSummary />
    </Alert>
  )
}

interface HealthState {
  color: 'red' | 'yellow' | 'leaf'
  title: string
  children: ReactNode
}

function healthOf({ backups, databases, isReady, queues }: System): HealthState {
  const offline = databases.filter((database) => !database.isReady).map(({ name }) => name)
  if (!isReady) {
    const which =
      offline.length === 0 ? 'Some parts are not ready.' : `Offline: ${offline.join(', ')}.`
    const children = `${which} Requests that need them get status 503 until they are back.`
    return { color: 'red', title: 'Not ready', children }
  }
  const late = queues.filter(({ oldestSeconds }) => (oldestSeconds ?? 0) > 3600)
  if (late.length > 0) {
    const where = late.map((each) => each.environment).join(' and ')
    const children = `Webhook deliveries have been pending for more than an hour in ${where}.`
    return { color: 'yellow', title: 'Ready, but webhook deliveries are late', children }
  }
  if (backups?.isOld) {
    const children = (
      <>
        {backups.last ? (
          <>
            The last good backup is from <Ago time={backups.last.createdAt} />.
          </>
        ) : (
          'There is no good backup yet.'
        )}{' '}
        {backups.lastFailure}
      </>
    )
    return { color: 'yellow', title: 'Ready, but without a recent backup', children }
  }
  const children = `${counted(databases.length, 'database')} online.`
  return { color: 'leaf', title: 'Ready', children }
}

const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

/** A part of the page: a list of facts. */
function Part({ facts, id, lead }: { id: keyof typeof parts; lead?: ReactNode; facts: Fact[] }) {
  return (
    <Section id={id} title={parts[id]} lead={lead}>
      <Paper withBorder px="md" py={4}>
        <Facts isRuled facts={facts} />
      </Paper>
    </Section>
  )
}

function Version({ system }: { system: System }) {
  const { engine, nodeVersion, startedAt, version, workers } = system
  return (
    <Part
      id="version"
      facts={[
        ['Animal Store', version],
        ['Node', nodeVersion],
        ['Database', engines[engine]],
        ['Started', <Ago key="started" time={startedAt} />],
        ['Workers on this node', count(workers)],
      ]}
    />
  )
}

/** One row for each node and version. */
function Processes({ system: { processes } }: { system: System }) {
  const groups = Map.groupBy(processes, ({ node, version }) => `${node} ${version}`)
  const versions = new Set(processes.map(({ version }) => version)).size
  return (
    <Part
      id="processes"
      lead={versions > 1 && `An upgrade is in progress: ${versions} versions are running.`}
      facts={[...groups].flatMap(([key, [first, ...others]]): Fact[] =>
        first
          ? [
              [
                versions > 1 ? `${first.node} ${first.version}` : first.node,
                <Values key={key}>
                  <span>{counted(1 + others.length, 'process', 'processes')}</span>
                  <span>Version {first.version}</span>
                  <span>
                    Started <Ago time={first.startedAt} />
                  </span>
                </Values>,
              ],
            ]
          : [],
      )}
    />
  )
}

const known = (value: number | null): string => (value === null ? 'Unknown' : count(value))

function Certificates({ system: { certificates, deploysUnderWay } }: { system: System }) {
  return (
    <Part
      id="certificates"
      facts={[
        ['Active certificates', known(certificates?.inUse ?? null)],
        ['Expiring within a week', known(certificates?.endWithinWeek ?? null)],
        ['Failed renewals', known(certificates?.failing ?? null)],
        ['Deploys in progress', known(deploysUnderWay)],
      ]}
    />
  )
}

function Webhooks({ system: { queues } }: { system: System }) {
  return (
    <Part
      id="webhooks"
      facts={queues.map(({ environment, length, oldestSeconds }): Fact => {
        const oldest = oldestSeconds ? `, oldest ${span(oldestSeconds * 1000)}` : ''
        return [capitalized(environment), `${known(length)} pending${oldest}`]
      })}
    />
  )
}

function Databases({ system: { databases } }: { system: System }) {
  return (
    <Part
      id="databases"
      facts={databases.map(({ isReady, milliseconds, name, sizeBytes }): Fact => {
        const size = sizeBytes === null ? 'Unknown size' : bytes(sizeBytes)
        const value = (
          <Values key={name}>
            <StateBadge tone={isReady ? 'success' : 'danger'}>
              {isReady ? 'Online' : 'Offline'}
            </StateBadge>
            <span>{size}</span>
            <span>Response {milliseconds.toFixed(1)} ms</span>
          </Values>
        )
        return [capitalized(name), value]
      })}
    />
  )
}

/** Several values of a fact, which stand below those of the next one. */
const Values = ({ children }: { children: ReactNode }) => (
  <div className={classes.values}>{children}</div>
)

function Backups({ system: { backups } }: { system: System }) {
  if (!backups) {
    return (
      <Part
        id="backups"
        facts={[
          [
            'Scheduled backups',
            <StateBadge key="off" tone="action">
              Off
            </StateBadge>,
          ],
        ]}
      />
    )
  }
  const { isOld, last, lastFailure, lastFailureAt, nextAt } = backups
  const isDue = new Date(nextAt).getTime() <= Date.now()
  return (
    <Part
      id="backups"
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
  )
}

function Addresses({ system: { addresses } }: { system: System }) {
  const { dashboard, httpPort, httpsPort, listen, platformHost, production, staging } = addresses
  return (
    <Part
      id="addresses"
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
  )
}
