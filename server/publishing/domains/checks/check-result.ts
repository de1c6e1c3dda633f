// The part of a check that is stored for display: the diagnostics, and the name of the record.

import { diagnosisToJson } from '../doctor/format-diagnosis.ts'
import type { Diagnosis } from '../doctor/judge.ts'
import { judgeOwnership } from '../doctor/ownership.ts'
import { readEvidence } from '../doctor/reading.ts'
import type { Evidence } from '../evidence/evidence.ts'
import type { DomainCheck, LastCheck } from './check-schema.ts'

export interface KeptCheck {
  check: LastCheck
  /** Relative to the zone that contains the host; `@` for its apex. */
  label: string
  nameServer: string | undefined
  /** Whether the pointer alone does not prove ownership. */
  isVerificationRequired: boolean
}

export function keptCheck(judged: Diagnosis, evidence: Evidence): KeptCheck {
  const { label } = readEvidence(evidence)
  const { reasons } = judgeOwnership(evidence)
  // These two resolve automatically, or with the pointer.
  const lasting = reasons.filter((reason) => reason !== 'no pointer' && reason !== 'unsure')
  return {
    check: { at: new Date(evidence.at).toISOString(), ...checkJson(judged, evidence) },
    label,
    nameServer: evidence.zone.nameServers[0],
    isVerificationRequired: lasting.length > 0,
  }
}

export function checkJson(
  judged: Diagnosis,
  evidence: Evidence,
): Omit<DomainCheck, 'host' | 'unicodeHost'> {
  const { provider } = evidence.zone
  return {
    ...diagnosisToJson(judged, evidence),
    zone: readEvidence(evidence).zone,
    provider: provider ? { name: provider.name, hasAlias: provider.hasAlias } : null,
  }
}
