// What is kept of a check for display, and how the API shows it. The evidence itself is stored apart (check-runner.ts).

import { describeTxtReason, judgeOwnership } from '#doctor/ownership.ts'
import { type CachedElsewhere, readElsewhere } from '#doctor/propagation-clock.ts'
import { type ChallengeProgress, readChallenge } from '#doctor/reading.ts'
import { diagnosisToJson } from '#doctor/rules/format-diagnosis.ts'
import type { Diagnosis } from '#doctor/rules/judge.ts'
import type { DomainCheck, LastCheck } from './check-schema.ts'

export interface KeptCheck {
  check: LastCheck
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

/** `details`: of the domain. Undefined before the first check. */
export function lastCheckOf(details: { judged: string | null } | undefined) {
  return details?.judged ? (JSON.parse(details.judged) as KeptCheck) : undefined
}

/** `before`: what the check before has kept. */
export function keptCheck(judged: Diagnosis, before: KeptCheck | undefined): KeptCheck {
  const { reading } = judged
  const { reasons, verification } = judgeOwnership(reading)
  const { failing = 0, responding = 0, updated = 0, ...progress } = readChallenge(reading) ?? {}
  // These two resolve automatically, or with the pointer.
  const lasting = reasons.filter((reason) => reason !== 'no pointer' && reason !== 'unsure')
  const reason = describeTxtReason(lasting, reading.subject.host)
  return {
    check: { at: new Date(reading.at).toISOString(), ...checkJson(judged) },
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
