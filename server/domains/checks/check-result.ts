// A check as JSON: the diagnostics with their fixes, and what is stored for display.

import type { Diagnosis } from '../doctor/judge.ts'
import { markDifference } from '../doctor/mark-difference.ts'
import { describeTxtReason, judgeOwnership } from '../doctor/ownership.ts'
import {
  type CachedElsewhere,
  type NameServerStatus,
  readElsewhere,
  readPropagation,
} from '../doctor/propagation-clock.ts'
import { type ChallengeProgress, readChallenge } from '../doctor/reading.ts'
import { type Finding, zoneLine } from '../doctor/wording.ts'
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
export function keptCheck(judged: Diagnosis, before: KeptCheck | undefined): KeptCheck {
  const { reading } = judged
  const { label } = reading
  const { reasons, verification } = judgeOwnership(reading)
  const { failing = 0, responding = 0, updated = 0, ...progress } = readChallenge(reading) ?? {}
  // These two resolve automatically, or with the pointer.
  const lasting = reasons.filter((reason) => reason !== 'no pointer' && reason !== 'unsure')
  const reason = describeTxtReason(lasting, reading.subject.host)
  return {
    check: { at: new Date(reading.at).toISOString(), ...checkJson(judged) },
    label,
    isVerificationRequired: lasting.length > 0,
    verificationReason: reason && `${reason.title}. ${reason.detail}`,
    pointerProvesUntil: reading.claim.pointerProvesUntil,
    isVerificationFound: verification.kind === 'proven',
    ...('fault' in progress && { challenge: { failing, responding, updated } }),
    elsewhere: readElsewhere(reading, before?.elsewhere),
  }
}

export function checkJson(
  judged: Diagnosis,
): Omit<DomainCheck, 'host' | 'unicodeHost' | 'hasOtherSite'> {
  const { apex, zone } = judged.reading
  return { ...diagnosisToJson(judged), zone: apex, provider: zone.provider ?? null }
}

export function diagnosisToJson({ diagnostics, reading, result }: Diagnosis) {
  const { cachedUntil, resolver, servers, ...counts } = readPropagation(reading)
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
    isCutShort: reading.isCutShort,
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
