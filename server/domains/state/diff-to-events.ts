// Derives the events of a change from the state before and after. Pure. The last notified condition is stored
// with the domain, so that nothing is sent twice.

import type { CertificateFacts } from '#doctor/evidence.ts'
import { isForOperator } from '#doctor/rules/certificate-rules.ts'
import { badgeOf } from './badge.ts'
import {
  type DomainEvent,
  type DomainState,
  hasCertificate,
  isUnresolvable,
  mayIssueAhead,
} from './domain-state.ts'
import type { DomainEventType, EventDetail } from './event-types.ts'
import { cutAfterMs } from './transition.ts'

/** The last of these conditions that was notified; null when any next one is news. */
export type LastNotified = 'active' | 'at_risk' | 'failed' | null

export interface Change {
  type: DomainEventType
  detail: EventDetail
  /** Whether it is sent by webhook and e-mail. */
  isNotice: boolean
}

interface Step {
  before: DomainState
  after: DomainState
  event: DomainEvent
  lastNotified: LastNotified
  /** The last answer by which the authority did not issue. */
  problem: CertificateFacts['problem']
}

/** The events of a step, in order, and the last notified condition after it. */
export function diffToEvents(step: Step): { changes: Change[]; lastNotified: LastNotified } {
  const { after, before, event } = step
  const changes: Change[] = []
  let { lastNotified } = step
  const add = (type: DomainEventType, detail: EventDetail = {}, isNotice = false): void => {
    changes.push({ type, detail, isNotice })
  }

  if (before.dns !== after.dns) add('dns_changed', { from: before.dns, to: after.dns })
  if (before.ownership !== 'proven' && after.ownership === 'proven') {
    add('verified', after.provenBy === null ? {} : { provenBy: after.provenBy })
  }
  if (before.preparation === 'requested' && after.preparation === 'switched') add('switched')
  if (isPreparationOver(step)) add('preparation_ended', expiryOf(after), true)
  if (event.type === 'ordered') add('certificate_ordered')
  if (event.type === 'record_awaited' && event.record) {
    const { because, name, value } = event.record
    const record = { recordName: name, recordValue: value, until: moment(event.until) }
    add('challenge_requested', { ...record, ...(because && { because }) }, true)
  }
  if (event.type === 'issued' && after.certificate === 'issued') {
    if (hasCertificate(before, event.at)) add('renewed', expiryOf(after))
    else if (mayIssueAhead(after)) add('certificate_prepared', expiryOf(after), true)
  }

  const failure = failureOf(step)
  if (failure) {
    const isFirst = lastNotified !== 'failed' && !hasCertificate(after, event.at)
    add('failed', failure, isFirst)
    if (isFirst) lastNotified = 'failed'
  }

  const end = endOf(before, after)
  if (end) {
    add(end.type, end.detail, end.type === 'lost')
    return { changes, lastNotified: null }
  }
  const badge = badgeOf(after, event.at)
  if (badge === 'active' && lastNotified !== 'active') {
    add('active', expiryOf(after), true)
    lastNotified = 'active'
  }
  // A single failed check sends no notice; the next one, ten minutes later, does.
  if (isAtRisk(after, badge) && lastNotified !== 'at_risk') {
    add('at_risk', riskOf(step), true)
    lastNotified = 'at_risk'
  }
  return { changes, lastNotified }
}

/** Whether the preparation ended without a person, while the domain is still the owner's. */
function isPreparationOver({ after, before, event }: Step): boolean {
  const isEnded = before.preparation === 'requested' && after.preparation === 'off'
  return isEnded && event.type !== 'preparation' && event.type !== 'ownership_lost'
}

/** Undefined unless the certificate has a new problem. */
function failureOf({ after, before, event, problem, lastNotified }: Step): EventDetail | undefined {
  if (after.blockedBy === 'https_off') return undefined
  const until = after.issueAt === null ? {} : { until: moment(after.issueAt) }
  if (event.type === 'failed') {
    return { ...answerOf(problem), ...until }
  }
  if (event.type === 'blocked') {
    return event.by === before.blockedBy ? undefined : { code: event.by, ...until }
  }
  if (before.expiresAt !== null && after.certificate === 'expired') return { code: 'expired' }
  const isLate = badgeOf(after, event.at) === 'needs_attention'
  return isLate && lastNotified !== 'failed'
    ? { code: after.blockedBy ?? 'late', ...until }
    : undefined
}

/** Why the domain is no longer served; undefined when it still is. */
function endOf(
  before: DomainState,
  after: DomainState,
): { type: 'paused' | 'suspended' | 'lost'; detail: EventDetail } | undefined {
  if (before.pausedAt === null && after.pausedAt !== null) return { type: 'paused', detail: {} }
  if (before.serving === after.serving) return undefined
  if (after.serving === 'suspended') return { type: 'suspended', detail: {} }
  if (after.serving !== 'off' || after.pausedAt !== null) return undefined
  return {
    type: 'lost',
    detail: { because: after.ownership === 'revoked' ? 'claimed' : 'dns' },
  }
}

function isAtRisk({ dns, ownership, serving }: DomainState, badge: string): boolean {
  if (badge !== 'at_risk' || dns === 'drifting') return false
  return ownership === 'proven' && serving !== 'off'
}

function riskOf({ after, problem }: Step): EventDetail {
  const expiry = expiryOf(after)
  if (after.dns === 'lost') {
    const cutAt = (after.failingSince ?? 0) + cutAfterMs
    return { because: 'dns', until: moment(cutAt), ...expiry }
  }
  if (isUnresolvable(after)) return { because: 'lookup', ...expiry }
  const { blockedBy } = after
  if (blockedBy !== null) return { because: 'certificate', code: blockedBy, ...expiry }
  return { because: 'certificate', ...answerOf(problem), ...expiry }
}

function answerOf(problem: Step['problem']): EventDetail {
  if (!problem) return {}
  return { code: isForOperator(problem) ? 'T10' : problem.type, problem: problem.detail }
}

function expiryOf({ expiresAt }: DomainState): EventDetail {
  return expiresAt === null ? {} : { expiresAt: moment(expiresAt) }
}

function moment(at: number): string {
  return new Date(at).toISOString()
}
