// Judges a plan before it is carried out: reads planned records, given as lines of a zone file or as JSON, and applies
// them to the evidence of a check. Reading is strict: input that is not understood is reported with its line, never
// ignored. A planned record set replaces the set of the same name and type; all other records stay, and may conflict.
import { isIPv4, isIPv6 } from 'node:net'
import type { CaaStep } from '#dns/caa/find-caa.ts'
import { type DnsRecord, recordsOfType } from '#dns/messages/exchange.ts'
import type { NameFacts } from '#dns/name-servers/name-facts.ts'
import type { Evidence, ServerView } from './evidence.ts'
import { recordTtlSeconds } from './wording.ts'

/**
 * The evidence after the plan. `problems` are sentences about what cannot be predicted. Cached answers and
 * probes do not apply to a plan and are dropped, except probes of addresses that stay.
 */
export function applyPlannedRecords(
  evidence: Evidence,
  plan: Plan,
): { evidence: Evidence; problems: string[] } {
  const { host: platformHost } = evidence.platform
  const problems = [...plan.problems]
  const records = plan.records.flatMap((record): DnsRecord[] => {
    if (record.type !== 'ALIAS') return [record]
    if (record.target === platformHost)
      return aliasRecords(record.name, record.ttlSeconds, evidence)
    problems.push(
      `The ALIAS of ${record.name} points to ${record.target}; it must point to exactly ${platformHost}.`,
    )
    return []
  })
  const removed = plan.removed.flatMap(({ name, type }) =>
    (type === 'ALIAS' ? ['A', 'AAAA'] : [type]).map((each) => `${name} ${each}`),
  )
  const replaced = new Set([...removed, ...records.map(key)])
  // An ALIAS replaces all addresses of its name, of both families.
  for (const { type, name } of plan.records) {
    if (type === 'ALIAS') replaced.add(`${name} A`).add(`${name} AAAA`)
  }
  const applyTo = (facts: NameFacts | undefined, name: string) =>
    overlay(facts, name, records, replaced)
  const { subject, platform } = evidence
  const servers = evidence.servers.map((view): ServerView => {
    const host = applyTo(view.host, subject.host) ?? view.host
    return {
      ...view,
      host,
      verification: platform.verification
        ? applyTo(view.verification, platform.verification.name)
        : view.verification,
    }
  })
  const addresses = servers.flatMap(({ host }) => (host.kind === 'records' ? host.addresses : []))
  // Those behind a CNAME of before do not follow.
  const https = evidence.https?.filter(({ name }) => name === subject.host) ?? []
  const planAddresses = new Set([
    ...addresses.map(({ address }) => address),
    ...https.flatMap(({ addresses, hints }) => [...hints, ...addresses]),
  ])
  const planned: Evidence = {
    ...evidence,
    servers,
    resolver: undefined,
    https,
    chain: plannedChain(evidence, records),
    caa: evidence.caa.map((step) => planCaa(step, records, replaced)),
    probes: evidence.probes.filter(({ address }) => planAddresses.has(address)),
  }
  return { evidence: planned, problems }
}

const key = ({ name, type }: DnsRecord) => `${name} ${type}`

function aliasRecords(name: string, ttlSeconds: number, { platform }: Evidence): DnsRecord[] {
  return platform.addresses.map((address) => {
    return { name, ttlSeconds, type: isIPv6(address) ? 'AAAA' : 'A', address }
  })
}

function overlay(
  facts: NameFacts | undefined,
  name: string,
  records: readonly DnsRecord[],
  replaced: ReadonlySet<string>,
): NameFacts | undefined {
  const planned = records.filter((record) => record.name === name)
  const isTouched = [...replaced].some((each) => each.startsWith(`${name} `))
  // The records of a failing server stay unknown.
  if (!isTouched || facts?.kind === 'failure') return facts
  const current =
    facts?.kind === 'records' ? [...facts.cname, ...facts.addresses, ...facts.others] : []
  const all = [...current.filter((record) => !replaced.has(key(record))), ...planned]
  if (all.length === 0) return { kind: 'nothing', rcode: 'NOERROR', negativeTtlSeconds: undefined }
  return {
    kind: 'records',
    cname: recordsOfType(all, 'CNAME'),
    addresses: recordsOfType(all, 'A', 'AAAA'),
    others: all.filter(({ type }) => !['A', 'AAAA', 'CNAME'].includes(type)),
  }
}

function plannedChain({ chain }: Evidence, records: readonly DnsRecord[]) {
  const links = records.flatMap((r) => (r.type === 'CNAME' ? [{ from: r.name, to: r.target }] : []))
  return [...links, ...chain.filter(({ from }) => links.every((link) => link.from !== from))]
}

function planCaa(
  step: CaaStep,
  records: readonly DnsRecord[],
  replaced: ReadonlySet<string>,
): CaaStep {
  if (!replaced.has(`${step.name} CAA`)) return step
  const planned = records.filter((r): r is DnsRecord & { type: 'CAA' } => r.type === 'CAA')
  return { ...step, rcode: 'NOERROR', records: planned.filter(({ name }) => name === step.name) }
}

type PlannedRecord = DnsRecord | { type: 'ALIAS'; name: string; target: string; ttlSeconds: number }

export interface Plan {
  records: PlannedRecord[]
  /** Record sets to remove (lines that begin with `-`): all records of the type at the name. */
  removed: { name: string; type: string }[]
  /** One sentence each, with the line. A plan with problems must not be used. */
  problems: string[]
}

const maxLines = 200

/**
 * Lines are `name [ttl] [IN] TYPE value`, relative to the zone, or `$ORIGIN` and `$TTL`; JSON is a list of
 * `{name, type, value, ttl?, remove?}`. ANAME is read as ALIAS.
 */
export function readPlan(text: string, zone: string): Plan {
  const plan: Plan = { records: [], removed: [], problems: [] }
  const entries = /^\s*[[{]/.test(text) ? jsonEntries(text, plan) : lineEntries(text, plan)
  let [origin, ttlSeconds, name] = [zone, recordTtlSeconds, zone]
  for (const { at, words, isRemoved } of entries) {
    const [first = '', second = ''] = words
    if (first === '$ORIGIN') origin = absolute(second, origin)
    else if (first === '$TTL') ttlSeconds = readTtl(second) ?? ttlSeconds
    else {
      if (first !== '') name = absolute(first, origin)
      const read = readRecord(words.slice(1), { name, origin, ttlSeconds, isRemoved })
      if (typeof read === 'string') plan.problems.push(`${at}: ${read}`)
      else if ('removed' in read) plan.removed.push(read.removed)
      else plan.records.push(read)
    }
  }
  return plan
}

interface Entry {
  at: string
  /** The name (empty: the name of the previous line), then the rest. */
  words: string[]
  isRemoved: boolean
}

function lineEntries(text: string, plan: Plan): Entry[] {
  const lines = text.split(/\r\n|\n|\r/)
  if (lines.length > maxLines) {
    plan.problems.push(`A plan has at most ${maxLines} lines.`)
    return []
  }
  return lines.flatMap((line, i) => {
    const isRemoved = /^\s*-\s/.test(line)
    const rest = isRemoved ? line.replace(/^\s*-\s+/, '') : line
    const words = splitWords(rest)
    if (words.length === 0) return []
    return [{ at: `Line ${i + 1}`, words: /^\s/.test(rest) ? ['', ...words] : words, isRemoved }]
  })
}

/** Words and quoted strings. A string keeps its quotes, which distinguish it from a word. */
function splitWords(line: string): string[] {
  const words = line.match(/"(?:\\.|[^"\\])*"?|;.*$|[^\s;"]+/g) ?? []
  return words.filter((word) => !word.startsWith(';'))
}

function jsonEntries(text: string, plan: Plan): Entry[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    plan.problems.push('This is not valid JSON.')
    return []
  }
  const list = Array.isArray(parsed) ? parsed : [parsed]
  if (list.length > maxLines) {
    plan.problems.push(`A plan has at most ${maxLines} records.`)
    return []
  }
  return list.flatMap((item: unknown, i): Entry[] => {
    const at = `Record ${i + 1}`
    const entry = typeof item === 'object' && item !== null ? (item as Record<string, unknown>) : {}
    const { name, type, value, ttl, remove } = entry
    const isRemoved = remove === true
    if (
      typeof name !== 'string' ||
      typeof type !== 'string' ||
      (!isRemoved && typeof value !== 'string')
    ) {
      plan.problems.push(`${at}: name, type and value are required, and must be strings.`)
      return []
    }
    const seconds = typeof ttl === 'number' ? [String(ttl)] : []
    const values = typeof value === 'string' ? jsonValue(type, value) : []
    return [{ at, words: [name === '' ? '@' : name, ...seconds, type, ...values], isRemoved }]
  })
}

/** The value of a TXT record is one string; other values are split into words. */
function jsonValue(type: string, value: string): string[] {
  return type.toUpperCase() === 'TXT'
    ? [`"${value.replaceAll(/["\\]/g, '\\$&')}"`]
    : splitWords(value)
}

interface Place {
  name: string
  origin: string
  ttlSeconds: number
  isRemoved: boolean
}

const types = ['A', 'AAAA', 'ALIAS', 'ANAME', 'CNAME', 'CAA', 'MX', 'TXT']

function readRecord(
  words: readonly string[],
  place: Place,
): PlannedRecord | { removed: { name: string; type: string } } | string {
  let ttlSeconds = place.ttlSeconds
  let i = 0
  for (; i < words.length; i++) {
    const seconds = readTtl(words[i] ?? '')
    if (seconds !== undefined) ttlSeconds = seconds
    else if (words[i]?.toUpperCase() !== 'IN') break
  }
  const type = words[i]?.toUpperCase() ?? ''
  const data = words.slice(i + 1)
  const { name, origin } = place
  if (!isName(name)) return `"${name}" is not a name that DNS can hold.`
  if (!types.includes(type))
    return `"${words[i] ?? ''}" is not a type that can be planned; it is one of ${types.join(', ')}.`
  if (place.isRemoved) return { removed: { name, type: type === 'ANAME' ? 'ALIAS' : type } }
  const record = readData(type, data, origin)
  return typeof record === 'string' ? record : { name, ttlSeconds, ...record }
}

/** Distributes `Omit` over the members of a union. */
type Data<T> = T extends unknown ? Omit<T, 'name' | 'ttlSeconds'> : never

function readData(
  type: string,
  data: readonly string[],
  origin: string,
): Data<PlannedRecord> | string {
  const [first = '', second = '', third = ''] = data
  const excess = `${type} takes one value.`
  switch (type) {
    case 'A':
    case 'AAAA':
      if (data.length !== 1) return excess
      if (type === 'A' ? isIPv4(first) : isIPv6(first))
        return { type, address: first.toLowerCase() }
      return `"${first}" is not an IPv${type === 'A' ? 4 : 6} address.`
    case 'ALIAS':
    case 'ANAME':
    case 'CNAME': {
      if (data.length !== 1) return excess
      const target = absolute(first, origin)
      if (!isName(target)) return `"${first}" is not a name that DNS can hold.`
      return { type: type === 'CNAME' ? 'CNAME' : 'ALIAS', target }
    }
    case 'MX':
      if (data.length !== 2 || !/^\d{1,5}$/.test(first)) return 'MX takes a preference and a name.'
      return { type, preference: Number(first), target: absolute(second, origin) }
    case 'CAA': {
      const isRight = data.length === 3 && /^\d{1,3}$/.test(first) && /^[a-z0-9]+$/i.test(second)
      if (!isRight) return 'CAA takes flags, a tag and a value in quotes.'
      return { type, flags: Number(first), tag: second, value: unquoted(third) }
    }
    default:
      if (data.length === 0) return 'TXT takes a value in quotes.'
      if (data.some((word) => /^"/.test(word) && !/^"(?:\\.|[^"\\])*"$/.test(word)))
        return 'A quote has no end.'
      return { type: 'TXT', strings: data.map(unquoted) }
  }
}

function unquoted(word: string): string {
  return word.startsWith('"') ? word.slice(1, -1).replaceAll(/\\([^0-9])/g, '$1') : word
}

function absolute(name: string, origin: string): string {
  const lower = name.toLowerCase()
  if (lower === '@') return origin
  return lower.endsWith('.') ? lower.slice(0, -1) : `${lower}.${origin}`
}

function isName(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => /^[a-z0-9_*-]{1,63}$/.test(label))
}

/** Seconds, or BIND's notation: 1h30m. */
function readTtl(word: string): number | undefined {
  if (!/^(\d{1,9}[smhdw]?)+$/i.test(word)) return undefined
  const unit: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }
  const parts = [...word.toLowerCase().matchAll(/(\d+)([smhdw]?)/g)]
  const seconds = parts.reduce((sum, [, n, u]) => sum + Number(n) * (unit[u || 's'] ?? 1), 0)
  return seconds <= 2 ** 31 - 1 ? seconds : undefined
}
