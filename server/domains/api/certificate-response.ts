// How far a domain is on its way to a certificate, as the management API gives it: derived from the state.
import { timeOrNull } from '#kit/clock.ts'
import type { FoundDomain } from '../database/domain-row.ts'
import { describeBlocker } from '../state/describe-blocker.ts'
import { type DomainState, shownCertificateState } from '../state/domain-state.ts'
import type { Domain, RateLimitsOfHost } from './schema.ts'

type Step = Domain['certificate']['steps'][number]

/** `issuer` of the certificate in use; `budget` where the authority's limits are known. */
export function showCertificate(
  { problem, state }: Pick<FoundDomain, 'problem' | 'state'>,
  { budget, issuer, now }: { budget: RateLimitsOfHost | null; issuer: string | null; now: number },
): Domain['certificate'] {
  const { blockedBy, certificateSince, expiresAt, failures, renewAt } = state
  return {
    state: shownCertificateState(state),
    since: timeOrNull(certificateSince),
    steps: stepsOf(state, now),
    issuer,
    expiresAt: timeOrNull(expiresAt),
    renewAt: timeOrNull(renewAt),
    blockedBy,
    blockedReason: blockedBy === null ? null : describeBlocker(blockedBy),
    problem: problem ? problemToJson(problem) : null,
    failures,
    nextTryAt: timeOrNull(nextTryOf(state)),
    budget,
  }
}

function problemToJson({
  at,
  authority,
  detail,
  status,
  type,
}: NonNullable<FoundDomain['problem']>) {
  return { authority, type, status, detail, at: new Date(at).toISOString() }
}

/** When the next attempt starts after a failure. */
function nextTryOf({ blockedBy, certificate, failures, issueAt }: DomainState): number | null {
  if (certificate === 'blocked' || certificate === 'retry_wait') return issueAt
  return certificate === 'issued' && (failures > 0 || blockedBy !== null) ? issueAt : null
}

/** Of the last attempt, in the order in which they are taken; [] before the first one. */
function stepsOf({ attempt }: DomainState, now: number): Step[] {
  if (!attempt) return []
  const { awaitedAt, begunAt, endedAt, isIssued, orderedAt, validatingAt } = attempt
  type Reached = [step: Step['step'], from: number | null, to: number | null]
  const awaited: Reached[] =
    awaitedAt === undefined ? [] : [['awaiting_record', awaitedAt, validatingAt]]
  const reached: Reached[] = [
    ['preflight', begunAt, orderedAt],
    ['ordering', orderedAt, awaitedAt ?? validatingAt],
    ...awaited,
    ['validating', validatingAt, null],
  ]
  const steps = reached.map(([step, from, to]): Step => {
    if (from === null) return { step, state: 'waiting', elapsedMs: null }
    // Clocks of several nodes may differ.
    const elapsedMs = Math.max(0, (to ?? endedAt ?? now) - from)
    if (to !== null || isIssued) return { step, state: 'done', elapsedMs }
    return { step, state: endedAt === null ? 'running' : 'failed', elapsedMs }
  })
  // Our internal authority does not validate.
  return isIssued ? steps.filter(({ state }) => state === 'done') : steps
}
