// One thing that can be the case with a host, and how to see it in the evidence.
import type { Evidence } from '../evidence/evidence.ts'
import type { Diagnostic, DiagnosticCode } from './diagnostic.ts'

export interface Rule {
  code: DiagnosticCode
  /** Undefined where there is nothing to say. Never throws, whatever the evidence holds. */
  judge: (evidence: Evidence) => Diagnostic | undefined
}
