// How far a domain is. Its certificate: issuer and dates, or the current attempt with the last error and the rate limits. The
// propagation of its record: how many name servers have it, their answers and that of a public resolver, and how long the
// old answer is cached.
import { Box, Center, Group, Loader, Progress, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CheckIcon, CrossIcon } from '../../components/icons.tsx'
import { type Column, Records } from '../../components/records.tsx'
import { Ago, Facts, Lines, Note, useNow } from '../../components/values.tsx'
import { atClock, exactly, onDay, span } from '../../platform/formats.ts'
import type { Domain, LastCheck } from './domain-queries.ts'

type Certificate = Domain['certificate']
type Step = Certificate['steps'][number]

const stepTitles: Record<Step['step'], string> = {
  preflight: 'Running pre-checks',
  ordering: 'Ordering the certificate',
  awaiting_record: 'Waiting for the TXT record',
  validating: 'Validating and issuing',
}

export const stateTitles = {
  done: 'Done',
  running: 'Running',
  action: 'To do',
  failed: 'Failed',
  waiting: 'Pending',
}

/** The steps of the current attempt. */
export function CertificateProgress({ certificate }: { certificate: Certificate }) {
  const { since, state, steps } = certificate
  const now = useNow()
  const done = steps.filter((step) => step.state !== 'running')
  // The running step began when those before it were done.
  const began = Date.parse(since ?? '') + done.reduce((sum, step) => sum + (step.elapsedMs ?? 0), 0)
  const runningMs = since === null ? 0 : now - began
  return (
    <Stack gap="sm">
      {since !== null && (
        <Note>
          Started <Ago time={since} />.{state !== 'blocked' && ' This usually takes a few minutes.'}
        </Note>
      )}
      {steps.length > 0 && (
        <Stack component="ol" gap="0.5rem">
          {steps.map((step) => (
            <li key={step.step}>
              <Group gap="sm" wrap="nowrap" c={step.state === 'waiting' ? 'dimmed' : 'inherit'}>
                <StateMark state={step.state} size={20} label={stateTitles[step.state]} />
                <Text size="sm" fw={step.state === 'running' ? 600 : 400}>
                  {stepTitles[step.step]}
                </Text>
                {step.elapsedMs !== null && (
                  <Note style={{ whiteSpace: 'nowrap' }}>
                    {span(Math.max(step.elapsedMs, step.state === 'running' ? runningMs : 0))}
                  </Note>
                )}
              </Group>
            </li>
          ))}
        </Stack>
      )}
    </Stack>
  )
}

/** Why the certificate is not requested now, and when it is. */
export function Blocked({ certificate }: { certificate: Certificate }) {
  const { blockedReason, nextTryAt, problem } = certificate
  return (
    <>
      {blockedReason !== null && !problem && (
        <Text size="sm">Certificate request blocked: {blockedReason}.</Text>
      )}
      {nextTryAt !== null && (
        <Note>
          Retrying <Ago time={nextTryAt} />. To retry immediately, choose Re-verify.
        </Note>
      )}
    </>
  )
}

/** Issuer and dates, the last problem, and what the authority still allows. */
export function CertificateView({ certificate }: { certificate: Certificate }) {
  const { budget, expiresAt, issuer, problem, renewAt } = certificate
  const now = useNow()
  return (
    <Stack gap="sm">
      {expiresAt === null ? (
        <Note>
          It is issued automatically once the domain is verified. You don't need to install
          anything.
        </Note>
      ) : (
        <Facts
          facts={[
            ['Issued by', issuer ?? 'Unknown'],
            [
              'Expires',
              <span key="expires" title={exactly(expiresAt)}>
                {onDay(expiresAt)}, in {span(new Date(expiresAt).getTime() - now)}
              </span>,
            ],
            [
              'Renewal',
              renewAt && (
                <span key="renewal" title={exactly(renewAt)}>
                  Renews automatically on {onDay(renewAt)}
                </span>
              ),
            ],
          ]}
        />
      )}
      {problem && <Problem problem={problem} />}
      <RateLimits budget={budget} />
    </Stack>
  )
}

const marks = {
  done: { bg: 'var(--mantine-primary-color-filled)', c: 'var(--on-filled)', Icon: CheckIcon },
  failed: { bg: 'var(--mantine-color-red-filled)', c: 'var(--on-filled)', Icon: CrossIcon },
  action: {
    bd: '2px solid light-dark(#b87f00, #ffcb3d)',
    c: 'light-dark(#8a5a00, #ffcb3d)',
    Icon: undefined,
  },
  waiting: { bd: '2px dashed var(--line)', Icon: undefined },
}

/** A step or a check in a circle, which is filled once it is done or has failed; others show their content in it. */
export function StateMark({
  children,
  label,
  size,
  state,
}: {
  state: keyof typeof stateTitles
  size: number
  /** For screen readers, where it stands alone. */
  label?: string
  children?: ReactNode
}) {
  const role = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label }
  if (state === 'running') return <Loader size={size} {...role} />
  const { Icon, ...look } = marks[state]
  return (
    <Center component="span" flex="none" w={size} h={size} bdrs="50%" {...look} {...role}>
      {Icon ? <Icon size={Math.round(size * 0.6)} /> : children}
    </Center>
  )
}

export function Problem({ problem }: { problem: NonNullable<Certificate['problem']> }) {
  return (
    <Box
      p="0.6rem 0.9rem"
      bg="light-dark(#fbeeec, #2e1d1b)"
      style={{ borderLeft: '3px solid var(--mantine-color-red-filled)' }}
    >
      <Text size="sm" fw={600}>
        {problem.authority} answered <Ago time={problem.at} />
      </Text>
      <Text size="sm">{problem.detail}</Text>
      <Text size="xs" c="dimmed">
        {problem.type}, HTTP {problem.status}
      </Text>
    </Box>
  )
}

function RateLimits({ budget }: { budget: Certificate['budget'] }) {
  if (!budget) return null
  const limits = [
    { limit: budget.failedValidations, what: 'attempts left this hour' },
    { limit: budget.certificatesOfHost, what: 'certificates left for this name this week' },
    { limit: budget.certificatesOfDomain, what: 'certificates left for the domain this week' },
  ].flatMap(({ limit, what }) => (limit ? `${limit.left} of ${limit.most} ${what}` : []))
  if (limits.length === 0) return null
  return <Note>Rate limits: {limits.join(' · ')}</Note>
}

type Propagation = LastCheck['propagation']
type NameServerStatus = Propagation['servers'][number]
type NamedServer = NameServerStatus & { id: string; title: string }

const answerTitles: Record<NameServerStatus['answer'], string> = {
  correct: 'Up to date',
  wrong: 'Wrong value',
  missing: 'No record',
  unknown: 'Unknown',
}
const faultTitles: Record<Exclude<NameServerStatus['state'], 'ok'>, string> = {
  lame: 'Not authoritative',
  refused: 'Refused',
  timeout: 'No response',
  error: 'Server failure',
}

/** How many name servers are up to date, and until when old answers are cached. */
export function PropagationProgress({ propagation }: { propagation: Propagation }) {
  const now = useNow()
  const { cachedUntil, responding, servers, updated } = propagation
  const left = cachedUntil === null ? 0 : new Date(cachedUntil).getTime() - now
  if (updated === servers.length && left <= 0) {
    return (
      <Text size="sm">
        All {servers.length} name servers are up to date, and old answers have expired from caches.
      </Text>
    )
  }
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text fw={600}>
          {updated} of {servers.length} name servers updated
        </Text>
        {cachedUntil !== null && left > 0 && (
          <Note>
            Cached until {atClock(cachedUntil)}, in {span(left)}
          </Note>
        )}
      </Group>
      <Progress
        value={servers.length === 0 ? 0 : (100 * updated) / servers.length}
        aria-label={`${updated} of ${servers.length} name servers updated`}
      />
      {responding < servers.length && (
        <Note>
          {servers.length - responding} of {servers.length} did not respond.
        </Note>
      )}
    </Stack>
  )
}

export function NameServers({ propagation }: { propagation: Propagation }) {
  const now = useNow()
  const { resolver, servers } = propagation
  const rows: NamedServer[] = [
    ...servers.map((status) => ({ ...status, title: status.name ?? status.address })),
    ...(resolver ? [{ ...resolver, title: 'Public resolver' }] : []),
  ].map((row) => ({ ...row, id: `${row.title} ${row.address}` }))
  const columns: Column<NamedServer>[] = [
    {
      title: 'Name server',
      isHead: true,
      cell: ({ address, title }) => <Lines first={title} second={address} />,
    },
    {
      title: 'Answer',
      cell: ({ answer, records, state }) => (
        <div>
          <Text size="sm" fw={answer === 'correct' ? 600 : 400}>
            {state === 'ok' ? answerTitles[answer] : faultTitles[state]}
          </Text>
          {records.map((record) => (
            <Text key={record} size="xs" c="dimmed" ff="monospace">
              {record}
            </Text>
          ))}
        </div>
      ),
    },
    {
      title: 'Cached for',
      cell: ({ cachedUntil }) => {
        const left = cachedUntil === null ? 0 : Date.parse(cachedUntil) - now
        return <Text size="sm">{left > 0 ? span(left) : '–'}</Text>
      },
    },
  ]
  return <Records caption="Name servers" columns={columns} rows={rows} />
}
