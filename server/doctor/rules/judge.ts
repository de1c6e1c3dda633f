// The doctor: derives diagnostics from evidence. Pure, so that stored evidence can be judged again.

import type { Evidence } from '../evidence.ts'
import * as claims from '../ownership.ts'
import { isPreparing, type Pointer, type Reading, readEvidence } from '../reading.ts'
import type { Finding, Rule, Severity } from '../wording.ts'
import * as addresses from './address-rules.ts'
import * as caa from './caa-rules.ts'
import * as certificates from './certificate-rules.ts'
import * as preparation from './preparation-rules.ts'
import * as records from './record-rules.ts'
import * as zones from './zone-rules.ts'

/** Where DNS points. `unknown`: the lookup failed; the previous result remains valid. */
export type DnsResult = 'ok' | 'missing' | 'conflict' | 'wrong_target' | 'partial' | 'unknown'

export interface Diagnosis {
  /** The first one is the headline. Empty only when a CNAME points to us and nothing is wrong. */
  diagnostics: Diagnostic[]
  result: DnsResult
  /** Whether the result is unknown to everyone: no name server can be used, or DNSSEC is broken. */
  isUnresolvable: boolean
  /** From which it is derived. */
  reading: Reading
}

export function judge(evidence: Evidence): Diagnosis {
  return judgeReading(readEvidence(evidence))
}

/** For a caller that needs the reading, too. */
export function judgeReading(reading: Reading): Diagnosis {
  const all: Diagnostic[] = []
  for (const [code, rule] of Object.entries(rules)) {
    const finding = rule(reading)
    if (finding) all.push({ code: code as DiagnosticCode, ...finding })
  }
  // For a name that cannot be a custom domain, no other diagnostic matters.
  const refused = all.filter(({ code }) => code === 'D01')
  const said = isPreparing(reading) ? all.filter(({ code }) => !aboutSwitch.includes(code)) : all
  const found = inOrder(refused.length > 0 ? refused : said)
  const result = dnsResult(reading, found)
  const isExplained = found.some(
    ({ code, severity }) => severity === 'blocks' && /^D0[1-4]$/.test(code),
  )
  const isOpen = (result === 'unknown' || reading.from === 'resolver') && !isExplained
  const cause = { code: 'D03', ...zones.unknownCause(reading) } as const
  const diagnostics = isOpen ? inOrder([cause, ...found]) : found
  const isUnresolvable =
    result === 'unknown' && (zones.isUnserved(reading) || zones.isHiddenByDnssec(reading))
  return { diagnostics, result, isUnresolvable, reading }
}

/** That the host points elsewhere is what the owner wants while the certificate is prepared. */
const aboutSwitch: DiagnosticCode[] = [
  ...(['D07', 'D10', 'D12', 'D18', 'D19', 'D20', 'D21', 'D22', 'D26'] as const),
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

/** What prevents an order of a host that points to us; undefined when an authority may be asked. */
export function findBlocker({ diagnostics, result }: Diagnosis): DiagnosticCode | undefined {
  const blocker = diagnostics.find(
    ({ code, severity }) => severity === 'blocks' && !answersOfAuthority.includes(code),
  )
  // Some name servers could not be queried.
  const unsure = result === 'ok' ? undefined : (diagnostics[0]?.code ?? 'D03')
  return blocker?.code ?? unsure
}

const severities: Severity[] = ['blocks', 'waits', 'warns', 'fine']

/** Sorts by severity, `blocks` first; within a severity, by the order of the rules. */
function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.toSorted(
    (a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity),
  )
}

function dnsResult(reading: Reading, diagnostics: readonly Diagnostic[]): DnsResult {
  const has = (code: DiagnosticCode) => diagnostics.some((diagnostic) => diagnostic.code === code)
  if (has('D01')) return 'unknown'
  if (has('D02')) return 'missing'
  const { state, pointers } = reading
  if (state === 'missing' || state === 'partial' || state === 'unknown') return state
  if (state === 'wrong') return pointers.some(conflicts) ? 'conflict' : 'wrong_target'
  // The records are correct, but resolvers that validate DNSSEC, as authorities do, cannot see them.
  return zones.isHiddenByDnssec(reading) ? 'unknown' : 'ok'
}

/** Conflicting records, as opposed to one that points elsewhere. */
function conflicts(pointer: Pointer): boolean {
  if (pointer.kind === 'crowded' || pointer.kind === 'cname at apex') return true
  return pointer.kind === 'addresses' && pointer.pointsTo.kind !== 'proxy fails'
}

/**
 * All rules by their codes, in the order of their diagnostics: the first diagnostic is the headline. Those of a certificate
 * before the switch come first. D16, D20 and D21 come before D10, because addresses that point to us are not a conflict, and
 * after D26: browsers do not use them.
 */
export const rules = {
  M01: preparation.caaOfOtherPlatform,
  M02: preparation.challengeIsAlias,
  M03: preparation.someServers,
  M04: preparation.replacedValue,
  M09: preparation.wrongValue,
  M10: preparation.caaAfterSwitch,
  M11: preparation.orderTooShort,
  M12: preparation.notOffered,
  M13: preparation.onlyWildcard,
  D01: records.notAHost,
  D02: zones.notRegistered,
  D03: zones.deadServers,
  D04: zones.brokenDnssec,
  D05: records.doubledName,
  D06: records.appendedValue,
  D07: records.noRecord,
  D08: records.someServers,
  D09: records.oldCaches,
  D26: addresses.httpsElsewhere,
  D16: addresses.ownAddresses,
  D20: addresses.proxyWorks,
  D21: addresses.proxyFails,
  D10: addresses.conflict,
  D11: records.crowdedCname,
  D12: records.otherTarget,
  D13: records.chain,
  D14: records.loop,
  D15: records.cnameAtApex,
  D17: addresses.noAlias,
  D18: addresses.someElsewhere,
  D19: addresses.ipv6Elsewhere,
  D22: addresses.otherPlatform,
  D23: claims.wildcard,
  D24: claims.heldElsewhere,
  D25: claims.wrongVerification,
  C01: caa.notListed,
  C02: caa.allForbidden,
  C03: caa.platformCaaForbids,
  C04: caa.bound,
  C05: caa.unknownTag,
  C06: caa.failing,
  C07: caa.wildcardsOnly,
  C08: caa.readNarrowly,
  T01: addresses.noResponse,
  T02: addresses.redirectLoop,
  T03: addresses.otherResponse,
  T04: certificates.notValidated,
  T05: certificates.rateLimited,
  T06: certificates.authorityFails,
  T07: certificates.rejected,
  T08: certificates.otherCertificate,
  T09: certificates.expiresSoon,
  T10: certificates.refused,
} satisfies Record<string, Rule>

export type DiagnosticCode = keyof typeof rules
export type Diagnostic = Finding & { code: DiagnosticCode }

/** About the authority's last answer: they do not prevent a new attempt, and end with a certificate. */
const codes: DiagnosticCode[] = ['T04', 'T05', 'T06', 'T07', 'T09', 'T10']
export const answersOfAuthority: string[] = codes
