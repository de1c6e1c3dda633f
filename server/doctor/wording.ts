// What the doctor says about a host: short, with the value that was found and the fix, and without blame. The common
// wording for records, lists and counts, the fix that makes a host point to us, and a record as one line of a zone file
// (RFC 1035, section 5.1). Values come from untrusted zones: what would end a name, a string or the line is escaped.
import { isWithin } from '#dns/messages/dns-name.ts'
import {
  type DnsRecord,
  recordsOfType,
  recordValue,
  type ServerAddress,
} from '#dns/messages/exchange.ts'
import { renamed } from '#dns/name-servers/name-facts.ts'
import { findProvider } from './evidence.ts'
import { ownRecords, type Reading, type Txt, type TxtFault } from './reading.ts'

export const recordTtlSeconds = 3600

/** `fix`: with its records, or text alone. */
const createFinding =
  (severity: Severity) =>
  (
    title: string,
    detail: string,
    fix?: Fix | string,
    { until, ...values }: Pick<Finding, 'found' | 'expected'> & { until?: number | undefined } = {},
  ): Finding => ({
    ...{ severity, title, detail },
    ...(fix !== undefined && { fix: typeof fix === 'string' ? createFix(fix) : fix }),
    ...values,
    ...(until !== undefined && Number.isFinite(until) && { until }),
  })

export const blocks = createFinding('blocks')
export const waits = createFinding('waits')
export const warns = createFinding('warns')
export const fine = createFinding('fine')

/** A fix as text, with the records to remove and to add. */
export function createFix(text: string, remove: PlainRecord[] = [], add: PlainRecord[] = []): Fix {
  return { text, remove, add }
}

/** "a", "a and b", "a, b and c". */
export function listed(words: readonly string[]): string {
  const unique = [...new Set(words)]
  if (unique.length < 2) return unique[0] ?? ''
  return `${unique.slice(0, -1).join(', ')} and ${unique.at(-1)}`
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

export function serverName({ name, address }: ServerAddress): string {
  return name ?? address
}

/** `ns1.example.net (192.0.2.1)`. */
export function addressed({ name, address }: ServerAddress): string {
  return name === undefined ? address : `${name} (${address})`
}

/** Who answered, by name: a record made at another provider is not there. */
export function answeredAt({ answers, apex, from }: Reading): string {
  if (from !== 'servers') return 'The resolver answered'
  const names = listed(answers.map(({ view }) => serverName(view.server)))
  return `${counted(answers.length, 'name server')} of ${apex} answered (${names})`
}

/** A record as a fix shows it, with the usual TTL. */
export function plainRecord(type: PlainRecord['type'], name: string, value: string): PlainRecord {
  return { name, type, value, ttlSeconds: recordTtlSeconds }
}

export const cnameRecord = (name: string, value: string) => plainRecord('CNAME', name, value)

/** Who has the records of the zone: its provider, or that of the name servers that the delegation and the zone list. */
export function providerOf({ zone }: Pick<Reading, 'zone'>): string {
  const { nameServers, ownNames = [], parentNames = [] } = zone
  const both = ownNames.filter((name) => parentNames.includes(name))
  const names = both.length > 0 ? both : nameServers
  const known = findProvider(names)?.name
  return known ?? (names.length > 0 ? `the provider of ${listed(names)}` : 'its DNS provider')
}

/** Before the name of a record to add: the zone of the host, where it is not the one that the owner expects. */
export function inZone(reading: Reading, name = reading.subject.host): string {
  const { apex, subject } = reading
  // The full name of one above the zone says enough.
  if (apex === subject.registrableDomain || !isWithin(name, apex)) return ''
  return ` in the zone ${apex} (at ${providerOf(reading)})`
}

/** The fix that makes the host point to us, in place of what it has. */
export function createPointerFix(reading: Reading): Fix {
  const { answers, dname, platform, zone } = reading
  const { host } = reading.subject
  if (dname) {
    const there = renamed(host, dname)
    const text =
      `In the zone of ${dname.target}, point ${there} to ${platform.host} by a CNAME, in place of what it has. Or replace the ` +
      `DNAME record at ${dname.name} by records of the names below it: while it is there, no others count, TXT records of ownership included.`
    const add = isWithin(there, reading.apex) ? [cnameRecord(there, platform.host)] : []
    return createFix(text, [], add)
  }
  const { provider } = zone
  const views = answers.length > 0 ? answers.map(({ view }) => view.host) : [reading.resolver?.host]
  const own = plainRecords(views.flatMap((facts) => ownRecords(facts, host)))
  const isKept = ({ type, value }: PlainRecord) =>
    !reading.isApex && type === 'CNAME' && value === platform.host
  const deletion = createDeletion(
    reading,
    own.filter((record) => !isKept(record)),
  )
  const add = deletion.text === '' ? 'Add' : `${deletion.text} Then add`
  const pointer = cnameRecord(host, platform.host)
  if (!reading.isApex) {
    const [old, ...more] = deletion.remove
    if (old?.type === 'CNAME' && more.length === 0) {
      const edit = `Change the value of the CNAME record ${reading.label}${inZone(reading)} from ${old.value} to ${platform.host}.`
      return createFix(edit, [old], [pointer])
    }
    const text = `${add} a CNAME record${inZone(reading)}: name ${reading.label}, value ${platform.host}.`
    return createFix(text, deletion.remove, [pointer])
  }
  if (provider?.hasAlias === false) {
    const text =
      `${provider.name} has no ALIAS record for ${host} itself. Add www.${host} ` +
      `as a domain with a CNAME record (name www, value ${platform.host}), and redirect ${host} to it at your DNS provider; ` +
      'or move the DNS to a provider that has ALIAS.'
    return createFix(text, [], [cnameRecord(`www.${host}`, platform.host)])
  }
  const without = provider?.hasAlias
    ? ''
    : ` If your provider has neither, redirect ${host} to www there.`
  const text = `${add} an ALIAS or ANAME record${inZone(reading)}: name @, value ${platform.host}.${without}`
  return createFix(text, deletion.remove, [{ ...pointer, type: 'ALIAS' }])
}

/**
 * The deletion of records that the host itself has: those of a wildcard belong to all other names, too, and those that only
 * some name servers have may be gone already. Address records may be what an ALIAS gives.
 */
export function createDeletion(
  { answers, hasOwn, label, zone }: Reading,
  remove: PlainRecord[],
): Fix {
  if (remove.length === 0 || hasOwn === 'no') return createFix('')
  const texts = remove.map(({ type, value }) => `the ${type} record ${value}`)
  const isFlattened =
    zone.provider?.hasAlias !== false && remove.every(({ type }) => /^A/.test(type))
  const source = isFlattened
    ? `, or the CNAME or ALIAS record that gives ${remove.length === 1 ? 'it' : 'them'}`
    : ''
  const what = `${listed(texts)}${source}`
  if (hasOwn === 'unknown')
    return createFix(`If ${label} itself has ${what}, and not a wildcard (*), delete that.`)
  const sure = remove.filter(({ name, type, value }) =>
    answers.every(({ view: { host } }) => {
      const all = host.kind === 'records' ? [...host.cname, ...host.addresses, ...host.others] : []
      return plainRecords(all).some((r) => r.name === name && r.type === type && r.value === value)
    }),
  )
  if (sure.length === remove.length) return createFix(`Delete ${what}.`, remove)
  return createFix(`Not all name servers have ${what}: delete what ${label} still has.`, sure)
}

/** The records of types that a fix can contain, without duplicates. */
export function plainRecords(records: readonly DnsRecord[]): PlainRecord[] {
  const own = records.filter((record) => record.type !== 'CNAME' || !record.dname)
  const shown = recordsOfType(own, 'A', 'AAAA', 'CNAME', 'TXT', 'CAA')
  const plain = shown.map((record): PlainRecord => {
    const { name, ttlSeconds, type } = record
    return { name, type, value: recordValue(record), ttlSeconds }
  })
  return withoutDuplicates(plain)
}

/** How a TXT record that is wrong is shown. Another value may belong to another account or service: keep it. */
export function describeTxtFault({ at, found, how }: TxtFault, expected: Txt) {
  const isMisplaced = at !== expected.name
  const [value = ''] = found
  const old = plainRecord(how === 'alias' ? 'CNAME' : 'TXT', at, value)
  const remove = how === 'other value' ? [] : [old]
  return {
    misplaced: isMisplaced ? `The TXT record is at ${at}, not at ${expected.name}` : undefined,
    before: remove.length > 0 ? `Delete the ${old.type} record at ${at}. ` : '',
    remove,
    values: {
      found: isMisplaced ? [at] : found,
      expected: [isMisplaced ? expected.name : expected.value],
    },
  }
}

/** Short form of a record: `MX mail.example.com`. */
export function written(record: DnsRecord): string {
  const [plain] = plainRecords([record])
  if (plain) return `${plain.type} ${plain.value}`
  return 'target' in record ? `${record.type} ${record.target}` : record.type
}

/** Removes duplicates: several servers give the same record. */
export function withoutDuplicates(records: readonly PlainRecord[]): PlainRecord[] {
  const seen = new Set<string>()
  return records.filter(({ name, type, value }) => {
    const key = `${name} ${type} ${value}`
    return !seen.has(key) && seen.add(key)
  })
}

/** A name as a provider's form expects it: `@`, or labels below the zone; the full name outside the zone. */
export function inForm(name: string, zone: string): string {
  if (name === zone) return '@'
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name
}

/** One possible problem of a host; undefined when the rule does not apply. Never throws. */
export type Rule = (reading: Reading) => Finding | undefined

/** `blocks`: must be fixed before setup continues. `waits`: resolves automatically. `warns`: should be fixed. */
export type Severity = 'blocks' | 'waits' | 'warns' | 'fine'

export interface Finding {
  severity: Severity
  /** One line: what is wrong. */
  title: string
  /** What was found, and what it means; one to three sentences. */
  detail: string
  /** What to do, if there is anything to do. */
  fix?: Fix
  /** The value found and the one expected, if it is about a value. The reader marks the difference. */
  found?: string[]
  expected?: string[]
  /** When cached records expire, or the next check starts: milliseconds since the epoch. */
  until?: number
}

export interface Fix {
  text: string
  /** Records to remove and to add. */
  remove: PlainRecord[]
  add: PlainRecord[]
}

export interface PlainRecord {
  /** Full name. */
  name: string
  type: 'A' | 'AAAA' | 'ALIAS' | 'CAA' | 'CNAME' | 'TXT'
  value: string
  ttlSeconds: number
}

/** With full names, so that it means the same in every zone file: `docs.example.com. 3600 IN CNAME docs.example.net.` */
export function zoneLine(record: PlainRecord): string {
  return `${escaped(record.name)}. ${record.ttlSeconds} IN ${record.type} ${rdata(record)}`
}

function rdata({ type, value }: PlainRecord): string {
  if (type === 'TXT') return quotedStrings(value).join(' ')
  if (type === 'CAA') {
    const [, flags, tag, text] = /^(\d{1,3}) ([a-z0-9]+) "(.*)"$/is.exec(value) ?? []
    return text === undefined ? escaped(value) : `${flags} ${tag} ${quotedStrings(text).join('')}`
  }
  return type === 'A' || type === 'AAAA' ? escaped(value) : `${escaped(value)}.`
}

/** Strings of at most 255 bytes each, in quotes (RFC 1035, section 3.3). */
function quotedStrings(value: string): string[] {
  const text = escaped(value, unusualInStrings)
  return (text.match(/(?:\\\d{3}|\\.|[^\\]){1,255}/g) ?? ['']).map((string) => `"${string}"`)
}

// Both begin with a byte that is escaped already.
const unusualInNames = /\\(?:[01]\d\d|2[0-4]\d|25[0-5])|[^a-zA-Z0-9._*:/-]/gu
const unusualInStrings = /\\(?:[01]\d\d|2[0-4]\d|25[0-5])|[^ !#-[\]-~]/gu

/**
 * Each byte of an unusual character as `\DDD`: it may end a name, a line or a string. What the value has in that form
 * stays.
 */
function escaped(value: string, unusual = unusualInNames): string {
  return value.replaceAll(unusual, (part) => {
    if (part.length === 4) return part
    if (unusual === unusualInStrings && /["\\]/.test(part)) return `\\${part}`
    return Array.from(Buffer.from(part), numbered).join('')
  })
}

const numbered = (byte: number) => `\\${String(byte).padStart(3, '0')}`
