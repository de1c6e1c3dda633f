// The state of the program, in groups.
import { Paper, SimpleGrid, Table, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Answer } from '../../client/management-client.ts'
import { CopyValue } from '../components/copy.tsx'
import { StateBadge } from '../components/state-badge.tsx'
import { Ago } from '../components/time.tsx'
import { bytes, count } from '../platform/numbers.ts'
import { span } from '../platform/times.ts'
import classes from './system.module.css'

export type System = Answer<'GET /system'>

const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' }

export function SystemFacts({ system }: { system: System }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      <Program system={system} />
      <BackgroundJobs system={system} />
      <Databases system={system} />
      <Addresses system={system} />
    </SimpleGrid>
  )
}

function Group({ children, title }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" className={classes.group ?? ''}>
      <Title order={2} size="h5" mb="xs">
        {title}
      </Title>
      {children}
    </Paper>
  )
}

function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Program({ system }: { system: System }) {
  const { engine, nodeVersion, processes, startedAt, version, workers } = system
  const nodes = new Set(processes.map(({ node }) => node)).size
  return (
    <Group title="Program">
      <Facts
        facts={[
          ['Version', version],
          ['Node', nodeVersion],
          ['Database', engines[engine]],
          ['Started', <Ago key="started" time={startedAt} />],
          ['Workers on this node', count(workers)],
          [
            'Processes',
            `${count(processes.length)} on ${nodes === 1 ? '1 node' : `${nodes} nodes`}`,
          ],
        ]}
      />
    </Group>
  )
}

function BackgroundJobs({ system: { certificates, deploysUnderWay, queues } }: { system: System }) {
  const length = (value: number | null): string => (value === null ? 'Unknown' : count(value))
  return (
    <Group title="Background jobs">
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
    </Group>
  )
}

function Databases({ system: { databases } }: { system: System }) {
  return (
    <Group title="Databases">
      <Table.ScrollContainer minWidth={0} type="native">
        <Table
          aria-label="Databases"
          className={classes.table ?? ''}
          data={{
            head: ['Name', 'State', 'Response time', 'Size'],
            body: databases.map(({ isReady, milliseconds, name, sizeBytes }) => [
              name,
              <StateBadge key="state" tone={isReady ? 'good' : 'bad'}>
                {isReady ? 'Online' : 'Offline'}
              </StateBadge>,
              `${milliseconds.toFixed(1)} ms`,
              sizeBytes === null ? 'Unknown' : bytes(sizeBytes),
            ]),
          }}
        />
      </Table.ScrollContainer>
    </Group>
  )
}

function Addresses({ system: { addresses } }: { system: System }) {
  const { dashboard, httpPort, httpsPort, listen, platformHost, production, staging } = addresses
  return (
    <Group title="Addresses">
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
    </Group>
  )
}
