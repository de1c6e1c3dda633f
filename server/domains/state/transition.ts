// How the state of a domain changes: one pure function from a state and an event to the next state (the states:
// domain-state.ts). It also sets when DNS is checked next, by what the domain waits for: often while its owner is likely
// working on it, rarely later, and not at all after 30 days.
import type { DnsResult } from '#doctor/rules/judge.ts'
import {
  type Attempt,
  type DomainEvent,
  type DomainState,
  hasCertificate,
  isOwnershipLapsing,
  isPreparing,
  isUnresolvable,
  lostAfterMs,
  mayIssue,
  mayIssueAhead,
} from './domain-state.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** How long a domain is still served after it stopped pointing to us. */
export const cutAfterMs = 7 * day
/** How long after it was blocked a certificate request is tried again. */
const unblockAfterMs = 5 * minute
/** Certificates before the switch: the first one and two renewals. Then the preparation ends. */
export const maxPrepared = 3
/** What no check can find solved: the limits of the authority, and what it offers. */
const waitForTime = ['budget', 'M11', 'M12']
/** Minutes before each further attempt; the last one repeats. */
const backOff = [1, 10, 100, 24 * 60]

/** The state after an event. The event carries its time: nothing here reads a clock or a database. */
export function transition(state: DomainState, event: DomainEvent): DomainState {
  // First, so that a record that points here again does not prove ownership for an owner who lost the host.
  const current = withoutLapsedOwnership(state, event.at)
  const applied = { ...apply(current, event), attempt: nextAttempt(state, event) }
  // Again, because a check may find that the TXT record is gone by which the owner still held it.
  const changed = withoutLapsedOwnership(applied, event.at)
  const timed = passTime(changed, event.at)
  const served = { ...timed, serving: servingOf(timed, event) }
  const going = { ...served, ...advanceCertificate(served, event.at) }
  // No record is asked for once none is needed.
  const advanced = mayIssueAhead(going) ? going : { ...going, recordUntil: null }
  // An attempt ends as soon as no certificate may be issued.
  const { attempt } = advanced
  if (attempt?.endedAt !== null || mayIssue(advanced)) return advanced
  return { ...advanced, attempt: { ...attempt, endedAt: event.at } }
}

function apply(state: DomainState, event: DomainEvent): DomainState {
  const { at } = event
  switch (event.type) {
    case 'checked':
      return checked(state, event)
    case 'verification_requested': {
      const requested = { verificationRequestedAt: at, pausedAt: null, checkAt: at, failures: 0 }
      const next = { ...state, ...requested }
      const isRetried = mayIssue(next) && !hasCertificate(state, at)
      return isRetried ? { ...next, certificateSince: at, issueAt: at } : next
    }
    case 'ownership_lost':
      return { ...state, ...withoutCertificate, ...revoked }
    case 'plan':
      return event.isPaid && state.serving === 'suspended' && state.pausedAt === null
        ? { ...state, checkAt: at }
        : state
    case 'preparation':
      return { ...state, ...prepared(state, event) }
    case 'begun':
      return {
        ...state,
        certificate: hasCertificate(state, at) ? 'renewing' : 'preflight',
        certificateSince: state.certificateSince ?? at,
        recordUntil: null,
      }
    case 'blocked':
      return {
        ...state,
        certificate: hasCertificate(state, at) ? 'issued' : 'blocked',
        blockedBy: event.by,
        issueAt: event.until ?? at + unblockAfterMs,
      }
    case 'ordered':
    case 'validating':
    case 'record_awaited': {
      const first = event.type === 'ordered' ? 'ordering' : 'validating'
      return {
        ...state,
        certificate: hasCertificate(state, at) ? 'renewing' : first,
        blockedBy: null,
        recordUntil: event.type === 'record_awaited' ? event.until : null,
        issueAt: event.lookAt ?? at,
      }
    }
    case 'issued': {
      // Too late: the host was lost meanwhile.
      if (state.ownership !== 'proven') return state
      const { expiresAt, lookAt, renewAt } = event
      return {
        ...state,
        ...withoutCertificate,
        certificate: 'issued',
        expiresAt,
        renewAt,
        issueAt: Math.min(lookAt, renewAt),
        preparedCount: state.preparedCount + (state.preparation === 'requested' ? 1 : 0),
      }
    }
    case 'renewal':
      if (!hasCertificate(state, at)) return state
      return { ...state, renewAt: event.renewAt, issueAt: Math.min(event.lookAt, event.renewAt) }
    case 'failed':
      return {
        ...state,
        certificate: hasCertificate(state, at) ? 'issued' : 'retry_wait',
        blockedBy: null,
        recordUntil: null,
        failures: state.failures + 1,
        issueAt: event.retryAt ?? at + waitAfter(state.failures, event.jitter),
      }
    case 'tick':
      return state
  }
}

function withoutLapsedOwnership(state: DomainState, at: number): DomainState {
  if (!isOwnershipLapsing(state, at)) return state
  return { ...state, ...withoutCertificate, ownership: 'unproven', provenBy: null }
}

/** A request where DNS points here already changes nothing: the certificate is issued by HTTP-01. */
function prepared(
  state: DomainState,
  { at, isRequested }: DomainEvent & { type: 'preparation' },
): Partial<DomainState> {
  const { dns, pausedAt, preparation, verificationRequestedAt } = state
  if (!isRequested) return preparation === 'requested' ? unprepared : {}
  if (dns === 'ok' || preparation === 'requested') return {}
  return {
    preparation: 'requested',
    preparationAt: at,
    preparedCount: 0,
    // A paused domain waits for that, too.
    verificationRequestedAt: pausedAt === null ? verificationRequestedAt : at,
    pausedAt: null,
    checkAt: at,
  }
}

const unprepared = {
  preparation: 'off',
  preparationAt: null,
  preparedCount: 0,
  recordUntil: null,
} as const
const revoked = {
  ownership: 'revoked',
  provenBy: null,
  provenAt: null,
  txtFoundAt: null,
  ...unprepared,
} as const
const withoutCertificate = {
  certificate: 'none',
  recordUntil: null,
  certificateSince: null,
  blockedBy: null,
  failures: 0,
  expiresAt: null,
  renewAt: null,
  issueAt: null,
} as const

function checked(state: DomainState, event: DomainEvent & { type: 'checked' }): DomainState {
  const { at, isDisputed, pointsToUs, provenBy, result } = event
  // A lookup that failed changes nothing that was known.
  const isKnown = result !== 'unknown'
  const after: DomainState = {
    ...state,
    ...(isKnown ? nextDns(state, result, at) : {}),
    unresolvableSince: nextUnresolvable(state, event),
    checkedAt: at,
    pointedWhenAdded: state.pointedWhenAdded ?? (isKnown ? pointsToUs : null),
    ...nextOwnership(state, provenBy, isDisputed, at),
    txtFoundAt: event.txt === 'found' ? at : event.txt === 'missing' ? null : state.txtFoundAt,
  }
  const isSwitched = after.preparation === 'requested' && after.dns === 'ok'
  const next: DomainState = isSwitched
    ? { ...after, preparation: 'switched', preparationAt: at, recordUntil: null }
    : after
  const isDue = isCauseGone(next, event) || (state.recordUntil !== null && isSwitched)
  // A paused domain waits for a user's request.
  const checkAt = next.pausedAt === null ? at + waitOf(next, at) : null
  return { ...next, issueAt: isDue ? at : next.issueAt, checkAt }
}

/** Whether what the certificate waits for may be over. */
function isCauseGone(
  state: DomainState,
  { isPreparable = false, isRecordSeen = false, result }: DomainEvent & { type: 'checked' },
): boolean {
  const isReady = mayIssueAhead(state) ? isPreparable : result === 'ok'
  if (state.certificate === 'blocked') {
    return state.blockedBy !== null && !waitForTime.includes(state.blockedBy) && isReady
  }
  return state.recordUntil !== null && isRecordSeen
}

function nextAttempt(
  { attempt }: Pick<DomainState, 'attempt'>,
  { at, type }: DomainEvent,
): Attempt | null {
  const going = { endedAt: null, isIssued: false }
  const fresh: Attempt = { begunAt: at, orderedAt: null, validatingAt: null, ...going }
  // An attempt continues in another process, or after a failure that was not final.
  const current = attempt ?? fresh
  switch (type) {
    case 'begun':
      return fresh
    case 'validating':
      return { ...current, validatingAt: current.validatingAt ?? at, ...going }
    case 'ordered':
    case 'record_awaited': {
      const { awaitedAt = at, orderedAt } = current
      const awaited = type === 'record_awaited' && { awaitedAt }
      return { ...current, orderedAt: orderedAt ?? at, ...awaited, ...going }
    }
    case 'issued':
    case 'failed':
    case 'blocked':
      return { ...current, endedAt: at, isIssued: type === 'issued' }
    case 'ownership_lost':
      return null
    default:
      return attempt
  }
}

type DnsPart = Pick<DomainState, 'dns' | 'failingSince' | 'partialSince'>

function nextDns(
  { dns, failingSince, partialSince }: DnsPart,
  result: Exclude<DnsResult, 'unknown'>,
  at: number,
): DnsPart {
  if (result === 'ok') return { dns: 'ok', failingSince: null, partialSince: null }
  const partial = result === 'partial' ? (partialSince ?? at) : null
  const didPoint = dns === 'ok' || dns === 'drifting' || dns === 'lost'
  if (!didPoint) return { dns: result, failingSince: null, partialSince: partial }
  const since = failingSince ?? at
  const isLost = dns === 'lost' || at - since >= lostAfterMs
  return { dns: isLost ? 'lost' : 'drifting', failingSince: since, partialSince: partial }
}

/** A check that fails here says nothing: it confirms no other, and ends nothing that was confirmed. */
function nextUnresolvable(
  state: DomainState,
  event: DomainEvent & { type: 'checked' },
): number | null {
  if (event.result !== 'unknown') return null
  if (event.isUnresolvable) return state.unresolvableSince ?? event.at
  return isUnresolvable(state) ? state.unresolvableSince : null
}

function nextOwnership(
  state: DomainState,
  provenBy: 'pointer' | 'txt' | undefined,
  isDisputed: boolean,
  at: number,
): Partial<DomainState> {
  // Once proven, it stays so until another account proves it, it lapses, or it is removed.
  if (state.ownership === 'proven') return {}
  if (provenBy) return { ownership: 'proven', provenBy, provenAt: at }
  if (state.ownership === 'revoked') return {}
  return { ownership: isDisputed ? 'disputed' : 'unproven' }
}

/** Changes that need nothing but time. */
function passTime({ certificateSince, ...rest }: DomainState, at: number): DomainState {
  // After a clock was set back, a start must not lie in the future.
  const since = certificateSince === null ? null : Math.min(certificateSince, at)
  const state = { ...rest, certificateSince: since }
  const isExpired = state.expiresAt !== null && state.expiresAt <= at
  const expired = {
    certificate: 'expired',
    certificateSince: at,
    expiresAt: null,
    renewAt: null,
  } as const
  const current: DomainState = isExpired
    ? { ...state, ...expired, issueAt: Math.min(state.issueAt ?? at, at) }
    : state
  const { dns, pausedAt, preparation, preparedCount, renewAt } = current
  const isOver = renewAt !== null && at >= renewAt && preparedCount >= maxPrepared
  const going: DomainState =
    preparation === 'requested' && dns !== 'ok' && isOver ? { ...current, ...unprepared } : current
  if (pausedAt !== null || at < pausesAt(going)) return going
  return { ...going, pausedAt: at, checkAt: null, issueAt: null }
}

/** Starts the certificate as soon as the other axes allow it, and stops as soon as they do not. */
function advanceCertificate(state: DomainState, at: number): Partial<DomainState> {
  const { certificate, certificateSince, issueAt, renewAt } = state
  const isThere = hasCertificate(state, at)
  if (!mayIssue(state)) {
    if (isThere) return { certificate: 'issued', issueAt: null }
    const isExpired = certificate === 'expired'
    return {
      certificate: isExpired ? 'expired' : 'none',
      certificateSince: isExpired ? certificateSince : null,
      blockedBy: null,
      issueAt: null,
    }
  }
  if (issueAt !== null) return {}
  if (isThere) return { issueAt: renewAt ?? at }
  return { certificate: 'preflight', certificateSince: certificateSince ?? at, issueAt: at }
}

function servingOf(state: DomainState, event: DomainEvent): DomainState['serving'] {
  const { failingSince, ownership, pausedAt, serving } = state
  const isSuspended = event.type === 'plan' ? !event.isPaid : serving === 'suspended'
  if (ownership !== 'proven') return 'off'
  if (isSuspended) return 'suspended'
  const isLong = failingSince !== null && event.at - failingSince >= cutAfterMs
  // It may be shown before DNS points here again.
  const isCut = isLong && !isPreparing(state)
  if (pausedAt !== null || isCut) return 'off'
  return hasCertificate(state, event.at) ? 'https' : 'http_only'
}

function waitAfter(failures: number, jitter: number): number {
  const minutes = backOff[Math.min(failures, backOff.length - 1)] as number
  return Math.round(minutes * minute * (1 + jitter / 10))
}

const hour = 60 * minute

/** While a record is missing or wrong: the interval by the age of the verification request. */
const waiting: [below: number, every: number][] = [
  [10 * minute, minute],
  [2 * hour, 5 * minute],
  [48 * hour, 15 * minute],
  [14 * day, hour],
  [30 * day, 6 * hour],
]
const proofEveryMs = 5 * minute
const proofForMs = 14 * day
const partialEveryMs = minute / 2
const partialForMs = 48 * hour
const activeEveryMs = 6 * hour
const driftingEveryMs = 10 * minute
const pausedAfterMs = 30 * day

/** When checks stop; Infinity while ownership is proven and DNS points here, or a prepared certificate is valid. */
function pausesAt(state: DomainState): number {
  const { dns, expiresAt, failingSince, ownership, verificationRequestedAt } = state
  const isReady = dns === 'ok' || (expiresAt !== null && isPreparing(state))
  if (ownership === 'proven' && isReady) return Number.POSITIVE_INFINITY
  const since = Math.max(verificationRequestedAt, failingSince ?? 0, requestedAt(state))
  return since + pausedAfterMs
}

/** When the certificate before the switch was requested; 0 without such a request. */
function requestedAt({ preparation, preparationAt }: DomainState): number {
  return preparation === 'requested' ? (preparationAt ?? 0) : 0
}

function waitOf(state: DomainState, at: number): number {
  const { dns, ownership, unresolvableSince, verificationRequestedAt } = state
  const age = at - Math.max(verificationRequestedAt, requestedAt(state))
  if (isPreparing(state) && dns !== 'ok' && dns !== 'partial') return waitByAge(age)
  const isFailing = dns === 'ok' && unresolvableSince !== null
  if (dns === 'drifting' || dns === 'lost' || isFailing) return driftingEveryMs
  if (dns === 'partial' && age < partialForMs) return partialEveryMs
  if (dns === 'ok') {
    if (ownership === 'proven') return activeEveryMs
    if (age < proofForMs) return proofEveryMs
  }
  return waitByAge(age)
}

function waitByAge(age: number): number {
  return waiting.find(([below]) => age < below)?.[1] ?? 6 * hour
}
