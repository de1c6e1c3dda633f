// The state of a domain and how it changes: one pure function. What changed it is an event, and the time of
// the event is part of it; nothing here looks at a clock or a database. Four axes change separately:
// ownership, dns, certificate, and serving, which follows from the other three.
import type { DnsResult } from '../doctor/judge.ts'
import { nextCheckAt, pausesAt } from './timers.ts'

export const ownershipStates = ['unproven', 'proven', 'disputed', 'revoked'] as const
export const dnsStates = [
  'unchecked',
  'missing',
  'conflict',
  'wrong_target',
  'partial',
  'ok',
  'drifting',
  'lost',
] as const
export const certificateStates = [
  'none',
  'preflight',
  'ordering',
  'validating',
  'issued',
  'renewing',
  'blocked',
  'retry_wait',
  'expired',
] as const
export const servingStates = ['off', 'http_only', 'https', 'suspended'] as const

/** Moments are milliseconds since the epoch. */
export interface DomainState {
  /** `disputed`: another account holds the host. `revoked`: another one proved that it is theirs. */
  ownership: (typeof ownershipStates)[number]
  provenBy: 'pointer' | 'txt' | null
  provenAt: number | null
  /** `drifting`: it led here and does not any more; `lost`: two checks at least 10 minutes apart say so. */
  dns: (typeof dnsStates)[number]
  /** Null until a check could tell. */
  pointedWhenAdded: boolean | null
  checkedAt: number | null
  failingSince: number | null
  partialSince: number | null
  /** When a person last wanted it: added it, or had it verified. */
  verificationRequestedAt: number
  /** Nobody has verified it in 30 days: it is not looked at any more, until somebody wants it. */
  pausedAt: number | null

  /** `blocked`: the authority is not asked. `retry_wait`: it is asked again at `issueAt`. */
  certificate: (typeof certificateStates)[number]
  /** When the attempt began that has brought no certificate yet. */
  certificateSince: number | null
  /** The last attempt; null before the first one. */
  attempt: Attempt | null
  /** The diagnostic, `budget` or `https_off`, that keeps the authority from being asked. */
  blockedBy: string | null
  /** Attempts in a row that brought no certificate. */
  failures: number
  /** Of the certificate that is in use; null without one. */
  expiresAt: number | null
  renewAt: number | null

  /** `suspended`: the plan has lapsed, and the name stays held. */
  serving: (typeof servingStates)[number]

  /** When DNS is checked next, and when the certificate is seen to; null for never. */
  checkAt: number | null
  issueAt: number | null
}

/** When an attempt to get a certificate reached its steps. */
export interface Attempt {
  begunAt: number
  orderedAt: number | null
  validatingAt: number | null
  endedAt: number | null
  /** Whether it brought a certificate. */
  isIssued: boolean
}

export type DomainEvent =
  | {
      type: 'checked'
      at: number
      result: DnsResult
      /** Whether any server leads here, in whatever way. */
      pointsToUs: boolean
      provenBy: 'pointer' | 'txt' | undefined
      /** Another account holds the host. */
      isDisputed: boolean
    }
  /** A person had it verified: what waited goes on now. */
  | { type: 'verification_requested'; at: number }
  /** Another account has proven that the host is theirs. */
  | { type: 'ownership_lost'; at: number }
  /** Whether the plan of its project includes domains. */
  | { type: 'plan'; at: number; isPaid: boolean }
  /** An attempt to get a certificate begins: the first one, or a renewal. */
  | { type: 'begun'; at: number }
  /** Something stands in the way; the authority was not asked. `until`: when it is looked at again. */
  | { type: 'blocked'; at: number; by: string; until?: number | undefined }
  /** `lookAt`: when the authority wants to be asked how far it is; at once unless it is said. */
  | { type: 'ordered' | 'validating'; at: number; lookAt?: number | undefined }
  | {
      type: 'issued'
      at: number
      expiresAt: number
      renewAt: number
      /** When the authority is asked whether to renew earlier. */
      lookAt: number
    }
  /** The authority did not issue. `retryAt`: it said when; `jitter` is -1 to 1. */
  | { type: 'failed'; at: number; retryAt: number | undefined; jitter: number }
  /** The authority was asked when to renew. */
  | { type: 'renewal'; at: number; renewAt: number; lookAt: number }
  /** Time has passed. */
  | { type: 'tick'; at: number }

const minute = 60_000
const day = 24 * 60 * minute

/** Two bad checks have to lie so far apart before a domain counts as lost. */
export const lostAfterMs = 10 * minute
/** A domain that does not lead here any more is served for so long all the same. */
export const cutAfterMs = 7 * day
/** What blocks is looked at again after so long. */
export const unblockAfterMs = 5 * minute
/** Minutes before each further attempt; the last one for all after it. */
const backOff = [1, 10, 100, 24 * 60]

export function stateWhenAdded(now: number): DomainState {
  return {
    ownership: 'unproven',
    provenBy: null,
    provenAt: null,
    dns: 'unchecked',
    pointedWhenAdded: null,
    checkedAt: null,
    failingSince: null,
    partialSince: null,
    verificationRequestedAt: now,
    pausedAt: null,
    certificate: 'none',
    certificateSince: null,
    attempt: null,
    blockedBy: null,
    failures: 0,
    expiresAt: null,
    renewAt: null,
    serving: 'off',
    checkAt: now,
    issueAt: null,
  }
}

export function next(state: DomainState, event: DomainEvent): DomainState {
  const changed = { ...apply(state, event), attempt: nextAttempt(state.attempt, event) }
  const timed = passTime(changed, event.at)
  const served = { ...timed, serving: servingOf(timed, event) }
  const attended = { ...served, ...attend(served, event.at) }
  // An attempt does not outlive what allowed it.
  const isLeft = attended.attempt?.endedAt === null && !mayIssue(attended)
  return isLeft ? { ...attended, attempt: endOf(attended.attempt, event.at) } : attended
}

/** When somebody has to look at it; null for never. */
export function dueAt({ checkAt, issueAt }: DomainState): number | null {
  const times = [checkAt, issueAt].filter((at) => at !== null)
  return times.length > 0 ? Math.min(...times) : null
}

/** Whether a certificate is there that may be shown. */
export function hasCertificate({ expiresAt }: DomainState, at: number): boolean {
  return expiresAt !== null && expiresAt > at
}

/**
 * Whether the authority may be asked at all. Exactly then `issueAt` is a moment, so that no certificate is
 * forgotten and none is sought for what may not have one.
 */
export function mayIssue({ dns, ownership, pausedAt, serving }: DomainState): boolean {
  return ownership === 'proven' && dns === 'ok' && pausedAt === null && serving !== 'suspended'
}

function apply(state: DomainState, event: DomainEvent): DomainState {
  const { at } = event
  switch (event.type) {
    case 'checked':
      return checked(state, event)
    case 'verification_requested': {
      const before = {
        ...state,
        verificationRequestedAt: at,
        pausedAt: null,
        checkAt: at,
        failures: 0,
      }
      const goesOn = mayIssue(before) && !hasCertificate(state, at)
      return goesOn ? { ...before, certificateSince: at, issueAt: at } : before
    }
    case 'ownership_lost':
      return {
        ...state,
        ...withoutCertificate,
        ownership: 'revoked',
        provenBy: null,
        provenAt: null,
      }
    case 'plan':
      return event.isPaid && state.serving === 'suspended' && state.pausedAt === null
        ? { ...state, checkAt: at }
        : state
    case 'begun':
      return {
        ...state,
        certificate: hasCertificate(state, at) ? 'renewing' : 'preflight',
        certificateSince: state.certificateSince ?? at,
      }
    case 'blocked':
      return {
        ...state,
        certificate: hasCertificate(state, at) ? 'issued' : 'blocked',
        blockedBy: event.by,
        issueAt: event.until ?? at + unblockAfterMs,
      }
    case 'ordered':
    case 'validating': {
      const first = event.type === 'ordered' ? 'ordering' : 'validating'
      const certificate = hasCertificate(state, at) ? 'renewing' : first
      return { ...state, certificate, blockedBy: null, issueAt: event.lookAt ?? at }
    }
    case 'issued': {
      // It comes too late for whoever has lost the host meanwhile.
      if (state.ownership !== 'proven') return state
      const { expiresAt, lookAt, renewAt } = event
      return {
        ...state,
        ...withoutCertificate,
        certificate: 'issued',
        expiresAt,
        renewAt,
        issueAt: Math.min(lookAt, renewAt),
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
        failures: state.failures + 1,
        issueAt: event.retryAt ?? at + waitAfter(state.failures, event.jitter),
      }
    case 'tick':
      return state
  }
}

const withoutCertificate = {
  certificate: 'none',
  certificateSince: null,
  blockedBy: null,
  failures: 0,
  expiresAt: null,
  renewAt: null,
  issueAt: null,
} as const

function checked(
  state: DomainState,
  { at, isDisputed, pointsToUs, provenBy, result }: DomainEvent & { type: 'checked' },
): DomainState {
  // What could not be looked up changes nothing that was known.
  const isKnown = result !== 'unknown'
  const after: DomainState = {
    ...state,
    ...(isKnown ? nextDns(state, result, at) : {}),
    checkedAt: at,
    pointedWhenAdded: state.pointedWhenAdded ?? (isKnown ? pointsToUs : null),
    ...nextOwnership(state, provenBy, isDisputed, at),
  }
  // What was blocked goes on when the cause may have gone.
  const isBlocked = after.certificate === 'blocked' && after.blockedBy !== 'budget'
  const issueAt = isBlocked && result === 'ok' ? at : after.issueAt
  return { ...after, issueAt, checkAt: nextCheckAt(after, at) }
}

function nextAttempt(attempt: Attempt | null, { at, type }: DomainEvent): Attempt | null {
  const none = { orderedAt: null, validatingAt: null, endedAt: null, isIssued: false }
  const fresh = { begunAt: at, ...none }
  // What is taken up by another process, or after an end that was none, goes on.
  const current = attempt ?? fresh
  switch (type) {
    case 'begun':
      return fresh
    case 'ordered':
      return { ...current, orderedAt: current.orderedAt ?? at, endedAt: null, isIssued: false }
    case 'validating':
      return {
        ...current,
        validatingAt: current.validatingAt ?? at,
        endedAt: null,
        isIssued: false,
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

function endOf(attempt: Attempt | null, at: number): Attempt | null {
  return attempt && { ...attempt, endedAt: at }
}

type DnsPart = Pick<DomainState, 'dns' | 'failingSince' | 'partialSince'>

function nextDns(
  { dns, failingSince, partialSince }: DnsPart,
  result: Exclude<DnsResult, 'unknown'>,
  at: number,
): DnsPart {
  if (result === 'ok') return { dns: 'ok', failingSince: null, partialSince: null }
  const partial = result === 'partial' ? (partialSince ?? at) : null
  const led = dns === 'ok' || dns === 'drifting' || dns === 'lost'
  if (!led) return { dns: result, failingSince: null, partialSince: partial }
  const since = failingSince ?? at
  const isLost = dns === 'lost' || at - since >= lostAfterMs
  return { dns: isLost ? 'lost' : 'drifting', failingSince: since, partialSince: partial }
}

function nextOwnership(
  state: DomainState,
  provenBy: 'pointer' | 'txt' | undefined,
  isDisputed: boolean,
  at: number,
): Partial<DomainState> {
  // What was once proven stays so until somebody else proves it, or it is removed.
  if (state.ownership === 'proven') return {}
  if (provenBy) return { ownership: 'proven', provenBy, provenAt: at }
  if (state.ownership === 'revoked') return {}
  return { ownership: isDisputed ? 'disputed' : 'unproven' }
}

/** What happens by time alone. */
function passTime({ certificateSince, ...rest }: DomainState, at: number): DomainState {
  // A clock that was put back would let what began before it begin in the future.
  const since = certificateSince === null ? null : Math.min(certificateSince, at)
  const state = { ...rest, certificateSince: since }
  const expired = state.expiresAt !== null && state.expiresAt <= at
  const held: DomainState = expired
    ? {
        ...state,
        certificate: 'expired',
        certificateSince: at,
        expiresAt: null,
        renewAt: null,
        issueAt: Math.min(state.issueAt ?? at, at),
      }
    : state
  if (state.pausedAt !== null || at < pausesAt(held)) return held
  return { ...held, pausedAt: at, checkAt: null, issueAt: null }
}

/** Begins with the certificate as soon as the other axes allow it, and leaves it as soon as they do not. */
function attend(state: DomainState, at: number): Partial<DomainState> {
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
  const isCut = failingSince !== null && event.at - failingSince >= cutAfterMs
  if (pausedAt !== null || isCut) return 'off'
  return hasCertificate(state, event.at) ? 'https' : 'http_only'
}

function waitAfter(failures: number, jitter: number): number {
  const minutes = backOff[Math.min(failures, backOff.length - 1)] as number
  return Math.round(minutes * minute * (1 + jitter / 10))
}
