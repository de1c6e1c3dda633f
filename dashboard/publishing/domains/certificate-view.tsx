// The certificate of a domain: the steps of an attempt as they go, or who issued it and when it is renewed;
// what went wrong in the authority's own words; and what the authority still gives.
import { Group, Loader, Stack, Text, ThemeIcon } from '@mantine/core'
import type { Domain } from '../../../server/publishing/domains/api/schema.ts'
import { describeBlocker } from '../../../server/publishing/domains/state/describe-blocker.ts'
import { CheckIcon, CrossIcon } from '../../components/icons.tsx'
import { Ago } from '../../components/time.tsx'
import { exactly, onDay, span } from '../../platform/times.ts'
import { useNow } from '../../platform/use-now.ts'
import classes from './certificate-view.module.css'

type Certificate = Domain['certificate']
type Step = Certificate['steps'][number]

const stepTitles: Record<Step['step'], string> = {
  preflight: 'Checking what could be in the way',
  ordering: 'Ordering the certificate',
  validating: 'The authority validates and issues',
}

export function CertificateView({ domain }: { domain: Domain }) {
  const { certificate } = domain
  const { expiresAt, issuer, nextTryAt, problem, renewAt, since, steps } = certificate
  const now = useNow()
  if (expiresAt !== null) {
    return (
      <Stack gap="xs">
        <dl className={classes.facts}>
          <dt>Issued by</dt>
          <dd>{issuer ?? 'not known'}</dd>
          <dt>Expires</dt>
          <dd title={exactly(expiresAt)}>
            {onDay(expiresAt)}, in {span(new Date(expiresAt).getTime() - now)}
          </dd>
          {renewAt !== null && (
            <>
              <dt>Renewed</dt>
              <dd title={exactly(renewAt)}>by itself, on {onDay(renewAt)}</dd>
            </>
          )}
        </dl>
        {problem && <Problem problem={problem} />}
      </Stack>
    )
  }
  if (certificate.state === 'none' && steps.length === 0) {
    return (
      <Text c="dimmed">
        It comes by itself once the domain is verified. There is nothing to install.
      </Text>
    )
  }
  return (
    <Stack gap="sm">
      {since !== null && (
        <Text size="sm" c="dimmed">
          Begun <Ago time={since} />.
          {certificate.state !== 'blocked' && ' It usually takes a couple of minutes.'}
        </Text>
      )}
      <ol className={classes.steps}>
        {steps.map((step) => (
          <li key={step.step} data-state={step.state}>
            <Group gap="sm" wrap="nowrap">
              <StepSign state={step.state} />
              <Text fw={step.state === 'running' ? 600 : 400}>{stepTitles[step.step]}</Text>
              {step.elapsedMs !== null && (
                <Text size="sm" c="dimmed" className={classes.elapsed ?? ''}>
                  {span(step.elapsedMs)}
                </Text>
              )}
            </Group>
          </li>
        ))}
      </ol>
      {problem && <Problem problem={problem} />}
      {!problem && certificate.blockedBy !== null && (
        <Text size="sm">The authority is not asked: {describeBlocker(certificate.blockedBy)}.</Text>
      )}
      {nextTryAt !== null && (
        <Text size="sm">
          Tried again {new Date(nextTryAt).getTime() > now ? <Ago time={nextTryAt} /> : 'now'}.
          Re-verify tries at once.
        </Text>
      )}
      <Budget budget={certificate.budget} />
    </Stack>
  )
}

function StepSign({ state }: { state: Step['state'] }) {
  if (state === 'running') return <Loader size={20} aria-label="Running" />
  if (state === 'waiting')
    return <span className={classes.waiting} role="img" aria-label="Waiting" />
  return (
    <ThemeIcon
      size={20}
      radius="xl"
      color={state === 'done' ? 'leaf' : 'red'}
      role="img"
      aria-label={state === 'done' ? 'Done' : 'Failed'}
    >
      {state === 'done' ? <CheckIcon size={13} /> : <CrossIcon size={13} />}
    </ThemeIcon>
  )
}

function Problem({ problem }: { problem: NonNullable<Certificate['problem']> }) {
  return (
    <div className={classes.problem}>
      <Text size="sm" fw={600}>
        {problem.authority} answered <Ago time={problem.at} />
      </Text>
      <Text size="sm">{problem.detail}</Text>
      <Text size="xs" c="dimmed">
        {problem.type}, HTTP {problem.status}
      </Text>
    </div>
  )
}

function Budget({ budget }: { budget: Certificate['budget'] }) {
  const lines: [string, NonNullable<Certificate['budget']>['orders']][] = budget
    ? [
        ['attempts this hour', budget.failedValidations],
        ['certificates for this name this week', budget.certificatesOfHost],
        ['certificates for the domain this week', budget.certificatesOfDomain],
      ]
    : []
  const shown = lines.filter(([, allowance]) => allowance !== null)
  if (shown.length === 0) return null
  return (
    <Text size="sm" c="dimmed">
      The authority gives:{' '}
      {shown
        .map(([what, allowance]) => `${allowance?.left} of ${allowance?.most} ${what} left`)
        .join(' · ')}
    </Text>
  )
}
