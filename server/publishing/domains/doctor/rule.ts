// One possible problem of a host, and how to detect it in the evidence.
import type { Evidence } from '../evidence/evidence.ts'
import type { Diagnostic, DiagnosticCode } from './diagnostic.ts'

export interface Rule {
  code: DiagnosticCode
  /** Undefined when the rule does not apply. Never throws. */
  judge: (evidence: Evidence) => Diagnostic | undefined
}
