// The state of a domain, and what may happen to it. Four axes change separately: ownership, dns, certificate,
// and serving, which follows from the other three. transition.ts says how.

import type { FormerChallenge } from '#doctor/evidence.ts'
import type { DnsResult } from '#doctor/judge.ts'

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
export const preparationStates = ['off', 'requested', 'switched'] as const

/** Times are milliseconds since the epoch. Each field is stored in the column of its name. */
export type DomainState = ReturnType<typeof stateWhenAdded>

/** The state of a domain that is added now. */
export function stateWhenAdded(now: number) {
  return {
    /** `disputed`: another account holds the host. `revoked`: another account proved that it owns the host. */
    ownership: 'unproven' as (typeof ownershipStates)[number],
    provenBy: null as 'pointer' | 'txt' | null,
    /** Kept when ownership lapses, so that the owner is told why to prove it again. */
    provenAt: null as number | null,
    /** `drifting`: it pointed to us and no longer does; `lost`: two checks at least 10 minutes apart say so. */
    dns: 'unchecked' as (typeof dnsStates)[number],
    /** Null until a check could tell. */
    pointedWhenAdded: null as boolean | null,
    checkedAt: null as number | null,
    failingSince: null as number | null,
    partialSince: null as number | null,
    /** When a person last added the domain or requested its verification. */
    verificationRequestedAt: now,
    /** Not verified in 30 days: no further checks until a person requests one. */
    pausedAt: null as number | null,
    /** When a check last found the TXT record that proves ownership; null once it is missing. */
    txtFoundAt: null as number | null,

    /**
     * `requested`: the certificate is issued before DNS points to us. `switched`: DNS points to us since. Both at
     * `preparationAt`.
     */
    preparation: 'off' as (typeof preparationStates)[number],
    preparationAt: null as number | null,
    /** Certificates issued since it was requested. */
    preparedCount: 0,

    /** `blocked`: no certificate is requested. `retry_wait`: it is requested again at `issueAt`. */
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

    /** `suspended`: the plan has lapsed, and the name stays held. */
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
