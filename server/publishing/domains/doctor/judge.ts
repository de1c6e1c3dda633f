// The doctor: from evidence to diagnostics. Pure, so that a bundle that was kept can be judged again.
import type { Evidence } from '../evidence/evidence.ts'
import type { Diagnostic, Severity } from './diagnostic.ts'
import { type Pointer, readEvidence } from './reading.ts'
import { rules } from './rules.ts'

/** Where DNS leads. `unknown`: looking up failed, and nothing that was known before is to be changed by it. */
export type DnsResult = 'ok' | 'missing' | 'conflict' | 'wrong_target' | 'partial' | 'unknown'

export interface Diagnosis {
  /** The first is the headline. Empty only where a CNAME points to us and there is nothing to say. */
  diagnostics: Diagnostic[]
  result: DnsResult
}

export function judge(evidence: Evidence): Diagnosis {
  const all = rules.flatMap((rule) => rule.judge(evidence) ?? [])
  // Of a name that cannot be a custom domain, nothing else matters.
  const refused = all.filter(({ code }) => code === 'D01')
  const diagnostics = inOrder(refused.length > 0 ? refused : all)
  return { diagnostics, result: dnsResult(evidence, diagnostics) }
}

const severities: Severity[] = ['blocks', 'waits', 'warns', 'fine']

/** What blocks comes first, and what is fine last; of the same kind, by the order of the rules. */
function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return severities.flatMap((each) => diagnostics.filter(({ severity }) => severity === each))
}

function dnsResult(evidence: Evidence, diagnostics: readonly Diagnostic[]): DnsResult {
  const has = (code: Diagnostic['code']) =>
    diagnostics.some((diagnostic) => diagnostic.code === code)
  if (has('D01')) return 'unknown'
  if (has('D02')) return 'missing'
  const { from, state, pointers } = readEvidence(evidence)
  // While the zone's own servers say nothing, a cache may still have what was there before.
  if (from === 'resolver' && evidence.servers.length > 0 && state !== 'right') return 'unknown'
  if (state === 'missing' || state === 'partial' || state === 'unknown') return state
  if (state === 'wrong') return pointers.some(conflicts) ? 'conflict' : 'wrong_target'
  // It is right, but those who check signatures, as authorities do, cannot see it.
  return has('D04') ? 'unknown' : 'ok'
}

/** Records stand in the way, as against one that points elsewhere. */
function conflicts(pointer: Pointer): boolean {
  if (pointer.kind === 'crowded' || pointer.kind === 'cname at apex') return true
  return pointer.kind === 'addresses' && pointer.lead.kind !== 'proxy fails'
}
