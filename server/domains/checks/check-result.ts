// A check as JSON: the diagnostics with their fixes, and what is stored for display.

import { type CachedElsewhere, readElsewhere } from '../doctor/cached-elsewhere.ts'
import type { Finding } from '../doctor/diagnostic.ts'
import type { Diagnosis } from '../doctor/judge.ts'
import { markDifference } from '../doctor/mark-difference.ts'
import { judgeOwnership } from '../doctor/ownership.ts'
import { type NameServerStatus, readPropagation } from '../doctor/propagation-clock.ts'
import { type ChallengeProgress, readChallenge } from '../doctor/read-challenge.ts'
import { readEvidence } from '../doctor/reading.ts'
import { describeTxtReason } from '../doctor/txt-reasons.ts'
import { zoneLine } from '../doctor/zone-line.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { DomainCheck, LastCheck } from './check-schema.ts'

export interface KeptCheck {
  check: LastCheck
  /** Relative to the zone that contains the host; `@` for its apex. */
  label: string
  /** Whether the pointer alone does not prove ownership, and why. */
  isVerificationRequired: boolean
  verificationReason?: string | undefined
  /** From then on it does not in any case. */
  pointerProvesUntil?: number | undefined
  /** Whether the TXT record that proves ownership was found; absent in checks of the release before. */
  isVerificationFound?: boolean
  /** Of the TXT record of the challenge; absent without one. */
  challenge?: Pick<ChallengeProgress, 'responding' | 'updated' | 'failing'>
  /** What caches keep of records that point elsewhere. Absent if no check has seen any. */
  elsewhere?: CachedElsewhere | undefined
}

/** `before`: what the check before has kept. */
export function keptCheck(
  judged: Diagnosis,
  evidence: Evidence,
  before: KeptCheck | undefined,
): KeptCheck {
  const { label } = readEvidence(evidence)
  const { reasons, verification } = judgeOwnership(evidence)
  const { failing = 0, responding = 0, updated = 0, ...progress } = readChallenge(evidence) ?? {}
  // These two resolve automatically, or with the pointer.
  const lasting = reasons.filter((reason) => reason !== 'no pointer' && reason !== 'unsure')
  const reason = describeTxtReason(lasting, evidence.subject.host)
  return {
    check: { at: new Date(evidence.at).toISOString(), ...checkJson(judged, evidence) },
    label,
    isVerificationRequired: lasting.length > 0,
    verificationReason: reason && `${reason.title}. ${reason.detail}`,
    pointerProvesUntil: evidence.claim.pointerProvesUntil,
    isVerificationFound: verification.kind === 'proven',
    ...('fault' in progress && { challenge: { failing, responding, updated } }),
    elsewhere: readElsewhere(evidence, before?.elsewhere),
  }
}

export function checkJson(
  judged: Diagnosis,
  evidence: Evidence,
): Omit<DomainCheck, 'host' | 'unicodeHost' | 'hasOtherSite'> {
  const { provider = null } = evidence.zone
  return { ...diagnosisToJson(judged, evidence), zone: readEvidence(evidence).zone, provider }
}

export function diagnosisToJson({ diagnostics, result }: Diagnosis, evidence: Evidence) {
  const { cachedUntil, resolver, servers, ...counts } = readPropagation(evidence)
  return {
    result,
    diagnostics: diagnostics.map(({ code, severity, title, detail, fix, until, ...values }) => ({
      code,
      severity,
      title,
      detail,
      fix: fix ? { ...fix, zoneLines: fix.add.map(zoneLine) } : null,
      ...comparison(values),
      until: moment(until),
    })),
    propagation: {
      servers: servers.map(statusJson),
      resolver: resolver ? statusJson(resolver) : null,
      ...counts,
      cachedUntil: moment(cachedUntil),
    },
    isCutShort: evidence.isCutShort,
  }
}

function statusJson({ cachedUntil, server, ...status }: NameServerStatus) {
  const { address, name = null } = server
  return { name, address, ...status, cachedUntil: moment(cachedUntil) }
}

/** The difference is between the first found and the first expected value; null without both. */
function comparison({ expected = [], found = [] }: Pick<Finding, 'expected' | 'found'>) {
  const [[value], [wanted]] = [found, expected]
  const isPair = value !== undefined && wanted !== undefined
  return { found, expected, difference: isPair ? markDifference(value, wanted) : null }
}

/** Null for no time, and for one that a date cannot hold: evidence is not trusted. */
function moment(at: number | undefined): string | null {
  const date = new Date(at ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
