// The doctor: from evidence to findings. Pure, so that a bundle that was kept can be judged again.
import type { Evidence } from '../evidence/evidence.ts'
import type { Finding, Severity } from './finding.ts'
import { type Pointer, readEvidence } from './reading.ts'
import { rules } from './rules.ts'

/** Where DNS leads. `unknown`: looking up failed, and nothing that was known before is to be changed by it. */
export type DnsResult = 'ok' | 'missing' | 'conflict' | 'wrong_target' | 'partial' | 'unknown'

export interface Judged {
  /** The first is the headline. Empty only where a CNAME leads here and there is nothing to say. */
  findings: Finding[]
  result: DnsResult
}

export function judge(evidence: Evidence): Judged {
  const all = rules.flatMap((rule) => rule.judge(evidence) ?? [])
  // Of a name that cannot be a custom domain, nothing else matters.
  const refused = all.filter(({ code }) => code === 'D01')
  const findings = inOrder(refused.length > 0 ? refused : all)
  return { findings, result: dnsResult(evidence, findings) }
}

const severities: Severity[] = ['blocks', 'waits', 'warns', 'fine']

/** What blocks comes first, and what is fine last; of the same kind, by the order of the rules. */
function inOrder(findings: readonly Finding[]): Finding[] {
  return severities.flatMap((each) => findings.filter(({ severity }) => severity === each))
}

function dnsResult(evidence: Evidence, findings: readonly Finding[]): DnsResult {
  const has = (code: Finding['code']) => findings.some((finding) => finding.code === code)
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

/** Records stand in the way, as against one that leads elsewhere. */
function conflicts(pointer: Pointer): boolean {
  if (pointer.kind === 'crowded' || pointer.kind === 'cname at apex') return true
  return pointer.kind === 'addresses' && pointer.lead.kind !== 'proxy fails'
}
