// The checks of the installation: problems and warnings with what to do, everything else on request.
import { Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'react-router'
import type { Answer } from '../../client/management-client.ts'
import { Section } from '../components/page.tsx'
import { StateBadge, type Tone } from '../components/state-badge.tsx'
import { Loaded, Loading } from '../components/states.tsx'
import { Ago } from '../components/time.tsx'
import { counted } from '../platform/numbers.ts'
import { useGet } from '../platform/requests.ts'
import classes from './checks-section.module.css'

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
  useGet(
    'GET /system/checks',
    {},
    // They ask other servers: only when the page opens, and on request.
    { staleTime: Number.POSITIVE_INFINITY, refetchOnReconnect: false, gcTime: 0 },
  )

/** What needs attention, in one line at the top: the checks may take seconds, and must not move what is below. */
export function ChecksSummary() {
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
    <Text size="sm" className={classes.summary ?? ''}>
      <span>
        {text}
        {urgent.length > 0 && <span className={classes.areas}>: {named}</span>}
        {urgent.length > 0 && '.'}
      </span>{' '}
      <Anchor component={Link} to="#checks" replace inherit>
        Show checks
      </Anchor>
    </Text>
  )
}

export function ChecksSection() {
  const checks = useChecks()
  return (
    <Section
      id="checks"
      title="Checks"
      lead="The configuration and what the program needs, as with animal-store doctor."
      actions={
        <Button
          variant="default"
          size="compact-sm"
          loading={checks.isFetching && checks.data !== undefined}
          onClick={() => void checks.refetch()}
        >
          Run again
        </Button>
      }
    >
      <Loaded query={checks} loading={<Loading rows={1} height={92} />}>
        {(found) => <Findings checks={found} />}
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
          <Button
            variant="default"
            size="compact-sm"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
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
    <ul className={classes.findings} aria-label="Findings">
      {findings.map(({ area, fix, message, status, subject }) => (
        <li key={`${area} ${subject} ${message}`}>
          <StateBadge tone={badges[status].tone}>{badges[status].text}</StateBadge>
          <div className={classes.text}>
            <Text fw={600} size="sm">
              {areas[area]}
              {subject && <span className={classes.subject}> {subject}</span>}
            </Text>
            <Text size="sm">{message}</Text>
            {fix && <Text size="sm">{fix}</Text>}
          </div>
        </li>
      ))}
    </ul>
  )
}

function summaryOf(findings: Finding[]): string {
  const countOf = (status: Finding['status']) =>
    findings.filter((each) => each.status === status).length
  const found = [
    [countOf('problem'), 'problem'] as const,
    [countOf('warning'), 'warning'] as const,
  ].filter(([count]) => count > 0)
  if (found.length === 0) return 'No problems.'
  return `${found.map(([count, noun]) => counted(count, noun)).join(', ')}.`
}
