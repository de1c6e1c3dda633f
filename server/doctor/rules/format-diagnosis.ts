// A diagnosis as text for the terminal, without control characters from untrusted text, and as JSON.
import { reachableAddresses } from '../evidence.ts'
import { markDifference, type Span } from '../mark-difference.ts'
import {
  type NameServerStatus,
  type PropagationClock,
  readPropagation,
} from '../propagation-clock.ts'
import type { Reading } from '../reading.ts'
import { addressed, counted, type Finding, listed, type Severity, zoneLine } from '../wording.ts'
import type { Diagnosis, Diagnostic, DnsResult } from './judge.ts'
import { faultOf } from './zone-rules.ts'

export const signs: Record<Severity, { sign: string; colour: number }> = {
  blocks: { sign: '✗', colour: 31 },
  waits: { sign: '…', colour: 36 },
  warns: { sign: '!', colour: 33 },
  fine: { sign: '✓', colour: 32 },
}

const headlines: Record<DnsResult, string> = {
  ok: 'points to us',
  missing: 'does not point to us yet',
  conflict: 'has conflicting records',
  wrong_target: 'points elsewhere',
  partial: 'points to us at some name servers',
  unknown: 'could not be looked up',
}

/** The first line, after the host. */
function headline({ diagnostics, result }: Diagnosis): string {
  const [first] = diagnostics
  if (first?.code === 'D01') return 'cannot be used here'
  if (first?.code === 'D02') return 'is in a domain that does not exist'
  if (result === 'unknown' && diagnostics.some(({ code }) => code === 'D04'))
    return 'cannot be seen by resolvers that validate DNSSEC'
  const isBlocked = diagnostics.some(({ severity }) => severity === 'blocks')
  return result === 'ok' && isBlocked ? 'points to us, but has problems to fix' : headlines[result]
}

/** Lines end with `\n`. */
export function formatDiagnosis(judged: Diagnosis, options: TextOptions) {
  const { reading } = judged
  const { host, unicodeHost } = reading.subject
  const name = unicodeHost === host ? host : `${unicodeHost} (${host})`
  const first = paint(`${name} ${headline(judged)}`, 1, options)
  const blocks = judged.diagnostics.map((diagnostic) => diagnosticText(diagnostic, options))
  const clock = readPropagation(reading)
  const isUneven = judged.diagnostics.some(({ code }) => ['D03', 'D08', 'D09'].includes(code))
  const table = isUneven && clock.responding > 0 ? [nameServerTable(clock, options)] : []
  const well = judged.diagnostics.length === 0 ? describeSuccess(reading, clock, options) : []
  const short = reading.isCutShort ? [wrapped(cutShort, indent, options)] : []
  return `${[first, ...well, ...blocks, ...table, ...short].join('\n\n')}\n`
}

const indent = '   '

const cutShort =
  'The check is incomplete: it ends after 40 queries or 5 seconds. Unknown facts are not judged.'

/** What was found when there are no diagnostics. */
function describeSuccess(
  reading: Reading,
  { servers, updated }: PropagationClock,
  options: TextOptions,
): string[] {
  const sign = `   ${paint(signs.fine.sign, signs.fine.colour, options)} `
  const records = listed(
    servers.flatMap((status) => (status.answer === 'correct' ? status.records : [])),
  )
  const arrived = reachableAddresses(reading)
  const lines = [
    ...(updated > 0 ? [`${sign}${shown(records)} at ${counted(updated, 'name server')}`] : []),
    ...(arrived.length > 0 ? [`${sign}A request to ${listed(arrived)} reaches us`] : []),
  ]
  return lines.length > 0 ? [lines.join('\n')] : []
}

function diagnosticText(diagnostic: Diagnostic, options: TextOptions): string {
  const { sign, colour } = signs[diagnostic.severity]
  const by = diagnostic.code.startsWith('T') ? 'retrying at' : 'cached until'
  // The table shows this for servers and caches.
  const isInTable = ['D08', 'D09'].includes(diagnostic.code)
  const until =
    diagnostic.until === undefined || isInTable
      ? []
      : [`   ${by} ${options.formatTime(diagnostic.until)}`]
  const fix = (text: string) => wrapped(shown(text), `${indent}  `, options).trimStart()
  return [
    `${paint(`${sign} ${diagnostic.code}`, colour, options)} ${shown(diagnostic.title)}`,
    wrapped(shown(diagnostic.detail), indent, options),
    ...comparison(diagnostic, options),
    ...until,
    ...(diagnostic.fix ? [`${indent}${paint('→', 1, options)} ${fix(diagnostic.fix.text)}`] : []),
    // In one piece, to be copied.
    ...(diagnostic.fix?.add ?? []).map((record) => `${indent}  ${shown(zoneLine(record))}`),
  ].join('\n')
}

/** The found value above the expected one, with the differing characters marked. */
function comparison({ found, expected }: Diagnostic, options: TextOptions): string[] {
  const [value] = found ?? []
  const [wanted] = expected ?? []
  if (found === undefined || value === undefined || wanted === undefined) return []
  const difference = markDifference(value, wanted)
  const marks = (text: string, spans: readonly Span[]) =>
    found.length === 1 && spans.length > 0
      ? [`             ${paint(underline(text, spans), 31, options)}`]
      : []
  return [
    `   found     ${shown(found.join(', '))}`,
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

/** A line with the count, and one for each server and the resolver. */
function nameServerTable(clock: PropagationClock, options: TextOptions): string {
  const { cachedUntil, resolver, servers, updated } = clock
  const { formatTime } = options
  const rows = servers.map((status) => ({ status, name: addressed(status.server) }))
  if (resolver) rows.push({ status: resolver, name: `resolver ${addressed(resolver.server)}` })
  const cells = rows.map(({ status, name }) => ({
    ...answerSigns[status.answer],
    name,
    answer: holding(status),
    kept: status.cachedUntil === undefined ? '' : `cached until ${formatTime(status.cachedUntil)}`,
  }))
  const nameWidth = Math.max(0, ...cells.map(({ name }) => name.length))
  const hasWidth = Math.max(0, ...cells.map(({ answer }) => answer.length))
  const lines = cells.map(({ colour, answer, kept, name, sign }) => {
    const words = `${name.padEnd(nameWidth)}  ${answer.padEnd(hasWidth)}  ${kept}`.trimEnd()
    return `   ${paint(sign, colour, options)} ${words}`
  })
  const caches =
    cachedUntil === undefined ? '' : `; the rest is cached until ${formatTime(cachedUntil)}`
  return [`   Name servers: ${updated} of ${servers.length} point to us${caches}.`, ...lines].join(
    '\n',
  )
}

const answerSigns: Record<NameServerStatus['answer'], { sign: string; colour: number }> = {
  correct: signs.fine,
  wrong: signs.warns,
  missing: signs.waits,
  unknown: signs.blocks,
}

function holding({ answer, records, state }: NameServerStatus): string {
  if (answer === 'unknown') return state === 'ok' ? 'no answer' : faultOf[state]
  return shown(records.join(', ')) || 'nothing'
}

export interface TextOptions {
  hasColour: boolean
  /** A time, such as `14:32`. */
  formatTime: (at: number) => string
  /** The width at which text wraps; undefined for no wrapping. */
  columns?: number
}

/** Writes invisible and control characters as `\u{…}`. */
export function shown(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) => {
    return `\\u{${char.codePointAt(0)?.toString(16)}}`
  })
}

export function paint(text: string, colour: number, { hasColour }: TextOptions): string {
  return hasColour ? `\u001b[${colour}m${text}\u001b[0m` : text
}

/** Indents the text and wraps it at `columns`. Words are not split. */
export function wrapped(text: string, indent: string, { columns }: TextOptions): string {
  const width = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(columns, 40)
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && `${indent}${last} ${word}`.length < width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(word)
  }
  return lines.map((line) => indent + line).join('\n')
}

export function diagnosisToJson({ diagnostics, reading, result }: Diagnosis) {
  const { cachedUntil, resolver, servers, ...counts } = readPropagation(reading)
  return {
    result,
    diagnostics: diagnostics.map(({ code, severity, title, detail, fix, until, ...values }) => ({
      code,
      severity,
      title,
      detail,
      fix: fix ? { ...fix, zoneLines: fix.add.map(zoneLine) } : null,
      ...comparisonJson(values),
      until: moment(until),
    })),
    propagation: {
      servers: servers.map(statusJson),
      resolver: resolver ? statusJson(resolver) : null,
      ...counts,
      cachedUntil: moment(cachedUntil),
    },
    isCutShort: reading.isCutShort,
  }
}

function statusJson({ cachedUntil, server, ...status }: NameServerStatus) {
  const { address, name = null } = server
  return { name, address, ...status, cachedUntil: moment(cachedUntil) }
}

/** The difference is between the first found and the first expected value; null without both. */
function comparisonJson({ expected = [], found = [] }: Pick<Finding, 'expected' | 'found'>) {
  const [[value], [wanted]] = [found, expected]
  const isPair = value !== undefined && wanted !== undefined
  return { found, expected, difference: isPair ? markDifference(value, wanted) : null }
}

/** Null for no time, and for one that a date cannot hold: evidence is not trusted. */
function moment(at: number | undefined): string | null {
  const date = new Date(at ?? Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
