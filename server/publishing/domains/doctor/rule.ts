// One thing that can be the case with a host, and how to see it in the evidence.
import type { Evidence } from '../evidence/evidence.ts'
import type { Finding, FindingCode } from './finding.ts'

export interface Rule {
  code: FindingCode
  /** Undefined where there is nothing to say. Never throws, whatever the evidence holds. */
  judge: (evidence: Evidence) => Finding | undefined
}
