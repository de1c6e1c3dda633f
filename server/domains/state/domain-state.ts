// The state of a domain, and what may happen to it. Ownership, DNS, preparation and certificate change separately;
// serving follows from them. Only an event changes the state, by transition.ts, and only database/apply-event.ts stores
// the change. The states of each axis, with what enters and leaves them, are below.
// Invariants: `issueAt` is set exactly while a certificate may be requested (`mayIssue`), nothing is served without
// proven ownership, and what was known stays when a lookup fails.

import type { FormerChallenge } from '#doctor/evidence.ts'
import type { DnsResult } from '#doctor/rules/judge.ts'

/**
 *   unproven  when added; when a dispute is over; and after a proven host has not pointed here for 30 days.
 *   disputed  a check of an unproven domain finds that another account holds the host; `unproven` when it no longer does.
 *   proven    a check finds the pointer or the TXT record that proves it, from any other state.
 *   revoked   another account has proven that it owns the host; only a proof leads out of it.
 */
export const ownershipStates = ['unproven', 'proven', 'disputed', 'revoked'] as const
/**
 *   unchecked  when added, until a check has a result.
 *   missing    like `conflict`, `wrong_target` and `partial`: the last result for a host that has not pointed to us since
 *              it was added.
 *   ok         the host points to us.
 *   drifting   it was `ok` and no longer is. `lost` when a later check, at least 10 minutes after that, says so too. Only
 *              `ok` leads out of both.
 */
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
/**
 *   none        there is none, and none may be requested. Entered from every state when ownership is lost.
 *   preflight   an attempt begins, without a valid certificate: pre-checks. Then `ordering`, `blocked` or `retry_wait`.
 *   ordering    the authority has created the order.
 *   validating  the authority was asked to validate, or the owner is asked for a TXT record, which the API shows as
 *               `awaiting_record`. Then `issued` or `retry_wait`.
 *   issued      there is a valid certificate.
 *   renewing    there is one, and an attempt for the next is under way. `issued` whatever its outcome.
 *   blocked     a pre-check or a rate limit prevents the request; the authority was not asked. Tried again at `issueAt`,
 *               or when a check finds that the cause is gone.
 *   retry_wait  an attempt has failed; tried again at `issueAt`: after 1, 10 and 100 minutes, then daily, or as the
 *               authority says.
 *   expired     the certificate expired before it was renewed; an attempt begins at once if one may be requested.
 */
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
/**
 *   off        not proven, paused, or not pointing here for 7 days, unless the certificate is being prepared.
 *   http_only  proven, without a valid certificate. `https` with one.
 *   suspended  proven, but the plan of the owner has lapsed, until it is paid again.
 */
export const servingStates = ['off', 'http_only', 'https', 'suspended'] as const
/**
 *   off        when added; when the request is canceled or another account proves ownership; and when the third
 *              certificate is due for renewal before DNS was switched.
 *   requested  the owner wants the certificate before DNS points to us.
 *   switched   a check has found since that DNS points to us. Another request is possible when it no longer does.
 */
export const preparationStates = ['off', 'requested', 'switched'] as const

/** Times are milliseconds since the epoch. Each field is stored in the column of its name. */
export type DomainState = ReturnType<typeof stateWhenAdded>

/** The state of a domain that is added now. */
export function stateWhenAdded(now: number) {
  return {
    ownership: 'unproven' as (typeof ownershipStates)[number],
    provenBy: null as 'pointer' | 'txt' | null,
    /** Kept when ownership lapses, so that the owner is told why to prove it again. */
    provenAt: null as number | null,
    dns: 'unchecked' as (typeof dnsStates)[number],
    /** Null until a check could tell. */
    pointedWhenAdded: null as boolean | null,
    checkedAt: null as number | null,
    failingSince: null as number | null,
    partialSince: null as number | null,
    /** Since when checks find that nobody can look the host up; null once one finds it, whatever it has. */
    unresolvableSince: null as number | null,
    /** When a person last added the domain or requested its verification. */
    verificationRequestedAt: now,
    /** When checks stopped, after 30 days without proven ownership and a record that points here; a request resumes them. */
    pausedAt: null as number | null,
    /** When a check last found the TXT record that proves ownership; null once it is missing. */
    txtFoundAt: null as number | null,

    preparation: 'off' as (typeof preparationStates)[number],
    /** When it was requested, or DNS was switched. */
    preparationAt: null as number | null,
    /** Certificates issued since it was requested. */
    preparedCount: 0,

    certificate: 'none' as (typeof certificateStates)[number],
    /** When the attempt began that has brought no certificate yet. */
    certificateSince: null as number | null,
    /** The last attempt; null before the first one. */
    attempt: null as Attempt | null,
    /** The diagnostic, `budget` or `https_off`, that blocks the certificate request. */
    blockedBy: null as string | null,
    /** Consecutive failed attempts. */
    failures: 0,
    /** Until when the owner has to set the TXT record of the challenge; null unless it is awaited. */
    recordUntil: null as number | null,
    /** Of the certificate in use; null without one. */
    expiresAt: null as number | null,
    renewAt: null as number | null,

    serving: 'off' as (typeof servingStates)[number],

    /** When DNS is checked next, and when the certificate is processed next; null for never. */
    checkAt: now as number | null,
    issueAt: null as number | null,
  }
}

/** When an attempt to get a certificate reached its steps. */
export interface Attempt {
  begunAt: number
  orderedAt: number | null
  /** When the TXT record of the challenge was asked for; absent without one. */
  awaitedAt?: number
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
      /** Whether any server points to us, directly or not. */
      pointsToUs: boolean
      provenBy: 'pointer' | 'txt' | undefined
      /** Another account holds the host. */
      isDisputed: boolean
      /** Whether the result is unknown because nobody can look the host up: it is not this machine that fails. */
      isUnresolvable?: boolean
      /** Whether the TXT record that proves ownership is there; absent if unknown. */
      txt?: 'found' | 'missing' | undefined
      /** Whether nothing prevents a certificate from being issued before DNS points to us. */
      isPreparable?: boolean
      /** Whether every name server has the TXT record of the challenge. */
      isRecordSeen?: boolean
    }
  /** A person requests that the certificate is issued before DNS points to us, or cancels that. */
  | { type: 'preparation'; at: number; isRequested: boolean }
  /** A person requested verification: what waits is retried now. */
  | { type: 'verification_requested'; at: number }
  /** Another account has proven that it owns the host. */
  | { type: 'ownership_lost'; at: number }
  /** Whether the plan of its project includes domains. */
  | { type: 'plan'; at: number; isPaid: boolean }
  /** An attempt to get a certificate begins: the first one, or a renewal. */
  | { type: 'begun'; at: number }
  /** The certificate request was blocked; the authority was not asked. `until`: when it is tried again. */
  | { type: 'blocked'; at: number; by: string; until?: number | undefined }
  /** `lookAt`: when to poll the authority next; now if it is left out. */
  | { type: 'ordered' | 'validating'; at: number; lookAt?: number | undefined }
  /**
   * The owner has to set a TXT record until `until`. `record`: where it is asked for the first time. `because`: why the
   * value before it is no longer valid.
   */
  | {
      type: 'record_awaited'
      at: number
      until: number
      lookAt: number
      record?:
        | { name: string; value: string; because?: FormerChallenge['because'] | undefined }
        | undefined
    }
  | {
      type: 'issued'
      at: number
      expiresAt: number
      renewAt: number
      /** When to ask the authority whether to renew earlier. */
      lookAt: number
    }
  /** The authority did not issue. `retryAt`: from its Retry-After; `jitter` is -1 to 1. */
  | { type: 'failed'; at: number; retryAt: number | undefined; jitter: number }
  /** The authority said when to renew. */
  | { type: 'renewal'; at: number; renewAt: number; lookAt: number }
  /** Time has passed. */
  | { type: 'tick'; at: number }

/** When the worker has to process it next; null for never. */
export function dueAt({ checkAt, issueAt }: DomainState): number | null {
  const times = [checkAt, issueAt].filter((at) => at !== null)
  return times.length > 0 ? Math.min(...times) : null
}

/** How long a host may not point here before its ownership must be proven anew. */
export const ownershipLapsesAfterMs = 30 * 24 * 3_600_000

/** Whether ownership was proven, and ends now because the host has not pointed here for 30 days. */
export function isOwnershipLapsing(
  { failingSince, ownership, provenAt, txtFoundAt }: DomainState,
  at: number,
): boolean {
  if (ownership !== 'proven' || failingSince === null) return false
  // A TXT record that is still there proves it anew.
  const since = Math.max(failingSince, provenAt ?? 0, txtFoundAt ?? 0)
  return at - since >= ownershipLapsesAfterMs
}

/** Two failed checks must be this far apart before a domain counts as lost, or as not resolvable. */
export const lostAfterMs = 10 * 60_000

/** Whether two checks, ten minutes apart, have found that nobody can look the host up. */
export function isUnresolvable({ checkedAt, unresolvableSince }: DomainState): boolean {
  return unresolvableSince !== null && (checkedAt ?? 0) - unresolvableSince >= lostAfterMs
}

/** Whether there is a certificate that has not expired. */
export function hasCertificate({ expiresAt }: DomainState, at: number): boolean {
  return expiresAt !== null && expiresAt > at
}

/**
 * Whether a certificate may be requested at all. Exactly then `issueAt` is set, so that no certificate is
 * missed and none is requested for a domain that must not have one.
 */
export function mayIssue(state: DomainState): boolean {
  return state.dns === 'ok' ? isIssuable(state) : mayIssueAhead(state)
}

/**
 * Whether a certificate may be requested before DNS points to us: the TXT record proves ownership now, and the owner
 * has asked for it. A record that merely points here never allows that.
 */
export function mayIssueAhead(state: DomainState): boolean {
  return state.dns !== 'ok' && isPreparing(state) && isIssuable(state)
}

/** Whether the owner has asked for the certificate before the switch, and the TXT record is there. */
export function isPreparing({ preparation, txtFoundAt }: DomainState): boolean {
  return preparation === 'requested' && txtFoundAt !== null
}

function isIssuable({ ownership, pausedAt, serving }: DomainState): boolean {
  return ownership === 'proven' && pausedAt === null && serving !== 'suspended'
}

/** What the API shows of the certificate. */
export const shownCertificateStates = [...certificateStates, 'awaiting_record'] as const

export function shownCertificateState({
  certificate,
  recordUntil,
}: DomainState): (typeof shownCertificateStates)[number] {
  return recordUntil !== null && (certificate === 'validating' || certificate === 'renewing')
    ? 'awaiting_record'
    : certificate
}
