// The doctor: derives diagnostics from evidence. Pure, so that stored evidence can be judged again.
import type { Evidence } from '../evidence/evidence.ts'
import type { Severity } from './diagnostic.ts'
import { isPreparing } from './read-challenge.ts'
import { type Pointer, type Reading, readEvidence } from './reading.ts'
import { type Diagnostic, type DiagnosticCode, rules } from './rules.ts'

/** Where DNS points. `unknown`: the lookup failed; the previous result remains valid. */
export type DnsResult = 'ok' | 'missing' | 'conflict' | 'wrong_target' | 'partial' | 'unknown'

export interface Diagnosis {
  /** The first one is the headline. Empty only when a CNAME points to us and nothing is wrong. */
  diagnostics: Diagnostic[]
  result: DnsResult
}

export function judge(evidence: Evidence): Diagnosis {
  return judgeReading(readEvidence(evidence))
}

/** For a caller that needs the reading, too. */
export function judgeReading(reading: Reading): Diagnosis {
  const all = Object.entries(rules).flatMap(([code, rule]) => {
    const finding = rule(reading)
    return finding ? [{ code: code as DiagnosticCode, ...finding }] : []
  })
  // For a name that cannot be a custom domain, no other diagnostic matters.
  const refused = all.filter(({ code }) => code === 'D01')
  const said = isPreparing(reading) ? all.filter(({ code }) => !aboutSwitch.includes(code)) : all
  const diagnostics = inOrder(refused.length > 0 ? refused : said)
  return { diagnostics, result: dnsResult(reading, diagnostics) }
}

/** That the host points elsewhere is what the owner wants while the certificate is prepared. */
const aboutSwitch: DiagnosticCode[] = [
  ...(['D07', 'D10', 'D12', 'D18', 'D19', 'D20', 'D21', 'D22'] as const),
  ...(['T01', 'T02', 'T03', 'T08'] as const),
]

/** What prevents a certificate from being issued before DNS points to us; the others are about the switch. */
const preparationBlockers: DiagnosticCode[] = [
  ...(['D01', 'D02', 'D03', 'D04'] as const),
  ...(['C01', 'C02', 'C03', 'C04', 'C05', 'C06', 'M01', 'M02', 'M13'] as const),
]

/** The first of them; undefined when an authority may be asked. */
export function findPreparationBlocker({ diagnostics }: Diagnosis): DiagnosticCode | undefined {
  const blocks = ({ code, severity }: Diagnostic) =>
    severity === 'blocks' && preparationBlockers.includes(code)
  return diagnostics.find(blocks)?.code
}

const severities: Severity[] = ['blocks', 'waits', 'warns', 'fine']

/** Sorts by severity, `blocks` first; within a severity, by the order of the rules. */
function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return severities.flatMap((each) => diagnostics.filter(({ severity }) => severity === each))
}

function dnsResult(reading: Reading, diagnostics: readonly Diagnostic[]): DnsResult {
  const has = (code: DiagnosticCode) => diagnostics.some((diagnostic) => diagnostic.code === code)
  if (has('D01')) return 'unknown'
  if (has('D02')) return 'missing'
  const { from, state, pointers } = reading
  // When the zone's own servers do not answer, a cache may still have old records.
  if (from === 'resolver' && reading.servers.length > 0 && state !== 'right') return 'unknown'
  if (state === 'missing' || state === 'partial' || state === 'unknown') return state
  if (state === 'wrong') return pointers.some(conflicts) ? 'conflict' : 'wrong_target'
  // The records are correct, but resolvers that validate DNSSEC, as authorities do, cannot see them.
  return has('D04') ? 'unknown' : 'ok'
}

/** Conflicting records, as opposed to one that points elsewhere. */
function conflicts(pointer: Pointer): boolean {
  if (pointer.kind === 'crowded' || pointer.kind === 'cname at apex') return true
  return pointer.kind === 'addresses' && pointer.pointsTo.kind !== 'proxy fails'
}
