// Findings for people at a terminal, and for programs. What strangers wrote is shown without what a
// terminal would obey.
import type { Evidence } from '../evidence.ts'
import type { Finding, Severity } from '../finding.ts'
import { type FixForm, fixForms } from './fixes.ts'
import type { DnsResult, Judged } from './judge.ts'
import { type Difference, markDifference, type Span } from './mark-difference.ts'
import { readEvidence } from './reading.ts'

export interface TextOptions {
  hasColour: boolean
  /** A moment, such as `14:32`. */
  formatTime: (at: number) => string
}

const signs: Record<Severity, { sign: string; colour: number }> = {
  blocks: { sign: '✗', colour: 31 },
  waits: { sign: '…', colour: 36 },
  warns: { sign: '!', colour: 33 },
  fine: { sign: '✓', colour: 32 },
}

const headlines: Record<DnsResult, string> = {
  ok: 'leads here',
  missing: 'has no record yet',
  conflict: 'has records in the way',
  wrong_target: 'leads elsewhere',
  partial: 'leads here at some name servers',
  unknown: 'could not be looked up',
}

/** Lines joined by `\n`, with one at the end. */
export function findingsAsText(judged: Judged, evidence: Evidence, options: TextOptions): string {
  const { host, unicodeHost } = evidence.subject
  const name = unicodeHost === host ? host : `${unicodeHost} (${host})`
  const first = paint(`${name} ${headlines[judged.result]}`, 1, options)
  const blocks = judged.findings.map((finding) => findingText(finding, options))
  return `${[first, ...blocks].join('\n\n')}\n`
}

function findingText(finding: Finding, options: TextOptions): string {
  const { sign, colour } = signs[finding.severity]
  const until = finding.until === undefined ? [] : [`   until ${options.formatTime(finding.until)}`]
  return [
    `${paint(`${sign} ${finding.code}`, colour, options)} ${shown(finding.title)}`,
    `   ${shown(finding.detail)}`,
    ...comparison(finding, options),
    ...until,
    ...(finding.fix ? [`   ${paint('→', 1, options)} ${shown(finding.fix.text)}`] : []),
  ].join('\n')
}

/** Found over expected, with the characters that differ marked below each. */
function comparison({ found, expected }: Finding, options: TextOptions): string[] {
  const [value] = found ?? []
  const [wanted] = expected ?? []
  if (value === undefined || wanted === undefined) return []
  const difference = markDifference(value, wanted)
  const marks = (text: string, spans: readonly Span[]) =>
    spans.length === 0 ? [] : [`             ${paint(underline(text, spans), 31, options)}`]
  return [
    `   found     ${shown(value)}`,
    ...marks(value, difference.found),
    `   expected  ${shown(wanted)}`,
    ...marks(wanted, difference.expected),
    ...difference.notes.map((note) => `   ${shown(note)}`),
  ]
}

function underline(value: string, spans: readonly Span[]): string {
  const isMarked = (i: number) => spans.some(({ start, end }) => i >= start && i < end)
  const marks = Array.from(value, (char, i) => (isMarked(i) ? '^' : ' ').repeat(shown(char).length))
  return marks.join('').trimEnd()
}

/** What is invisible or steers a terminal is written by its number. */
function shown(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) => {
    return `\\u{${char.codePointAt(0)?.toString(16)}}`
  })
}

function paint(text: string, colour: number, { hasColour }: TextOptions): string {
  return hasColour ? `\u001b[${colour}m${text}\u001b[0m` : text
}

/** A finding as the API gives it: times in RFC 3339, and the mend in its generated forms. */
export interface FindingJson {
  code: Finding['code']
  severity: Severity
  title: string
  detail: string
  fix: (NonNullable<Finding['fix']> & { forms: FixForm[] }) | null
  found: string[]
  expected: string[]
  /** Between the first of each; null where there are not both. */
  difference: Difference | null
  until: string | null
}

export function findingsAsJson(
  { findings, result }: Judged,
  evidence: Evidence,
): { result: DnsResult; findings: FindingJson[] } {
  const place = {
    zone: readEvidence(evidence).zone,
    nameServer: evidence.zone.nameServers[0],
  }
  return { result, findings: findings.map((finding) => findingJson(finding, place)) }
}

function findingJson(
  { code, severity, title, detail, fix, found = [], expected = [], until }: Finding,
  place: Parameters<typeof fixForms>[1],
): FindingJson {
  const [value] = found
  const [wanted] = expected
  const isPair = value !== undefined && wanted !== undefined
  return {
    code,
    severity,
    title,
    detail,
    fix: fix ? { ...fix, forms: fixForms(fix, place) } : null,
    found,
    expected,
    difference: isPair ? markDifference(value, wanted) : null,
    until: moment(until),
  }
}

function moment(at: number | undefined): string | null {
  const date = new Date(at ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
