// A record as entered in a provider's form, and its validation. One provider detects mistakes, the other uses every
// name literally.
import { isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { recordValue } from '#dns/messages/exchange.ts'
import { encodeSvcb, type RecordData, textBytes, toStrings, type ZoneRecord } from '../dns/zone.ts'
import type { Provider } from '../network/topology.ts'

export const editedTypes = [
  'A',
  'AAAA',
  'CNAME',
  'ALIAS',
  'TXT',
  'CAA',
  'MX',
  'NS',
  'HTTPS',
] as const
type EditedType = (typeof editedTypes)[number]

export interface EditedRecord {
  /** Relative to the zone, `@` for the zone itself; with a dot at the end, the whole name. */
  name: string
  type: EditedType
  ttlSeconds: number
  /** As in a zone file, such as `10 mail.mossy.example.` for MX. */
  value: string
}

/** A helpful provider does not append the zone to names that end in it, and refuses conflicting records. */
type ProviderRules = Pick<Provider, 'hasAlias' | 'isHelpful'>

const problem = (field: keyof EditedRecord, message: string): RegistrarError =>
  new RegistrarError(422, 'invalid_record', message, field)

const maxTtlSeconds = 604_800

/** Throws RegistrarError. */
export function readRecord(zone: string, edited: EditedRecord, rules: ProviderRules): ZoneRecord {
  const { ttlSeconds, type } = edited
  if (!editedTypes.includes(type))
    throw problem('type', `Type must be one of ${editedTypes.join(', ')}.`)
  if (type === 'ALIAS' && !rules.hasAlias)
    throw problem('type', 'This provider has no ALIAS records.')
  if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > maxTtlSeconds)
    throw problem('ttlSeconds', `TTL is 1 to ${maxTtlSeconds} seconds.`)
  const typed = edited.name.trim() || '@'
  const name = typed === '@' ? zone : absolute('name', typed, zone, !rules.isHelpful)
  if (name !== zone && !name.endsWith(`.${zone}`))
    throw problem('name', `${name} is not in ${zone}.`)
  return { name, ttlSeconds, ...readData(zone, type, edited.value.trim(), rules) }
}

function readData(zone: string, type: EditedType, value: string, rules: ProviderRules): RecordData {
  if (value === '') throw problem('value', 'Value is missing.')
  const host = (text: string): string => target(text, zone, rules)
  switch (type) {
    case 'A':
      if (isIPv4(value)) return { type, address: value }
      throw problem('value', 'An A record holds an IPv4 address, such as 192.0.2.1.')
    case 'AAAA':
      if (isIPv6(value)) return { type, address: value.toLowerCase() }
      throw problem('value', 'An AAAA record holds an IPv6 address, such as 2001:db8::1.')
    case 'CNAME':
    case 'ALIAS':
    case 'NS':
      return { type, target: host(value) }
    case 'MX': {
      const [, preference, exchange] = /^(\d{1,5})\s+(\S+)$/.exec(value) ?? []
      if (exchange === undefined || Number(preference) > 65_535)
        throw problem('value', 'An MX record is a number and a host: 10 mail.mossy.example.')
      return { type, preference: Number(preference), target: host(exchange) }
    }
    case 'CAA': {
      const [, flags, tag, quoted, bare] =
        /^(\d{1,3})\s+([a-zA-Z0-9]{1,15})\s+(?:"([^"]*)"|(\S+))$/.exec(value) ?? []
      if (flags === undefined || tag === undefined || Number(flags) > 255)
        throw problem('value', 'A CAA record looks like this: 0 issue "authority.example"')
      return { type, flags: Number(flags), tag: tag.toLowerCase(), value: quoted ?? bare ?? '' }
    }
    case 'TXT':
      return { type, strings: readStrings(value, rules) }
    case 'HTTPS': {
      const [, priority, target, parameters = ''] =
        /^(\d{1,5})\s+(\S+)(?:\s+(.*))?$/.exec(value) ?? []
      const example = 'An HTTPS record looks like this: 1 . alpn=h2 ipv4hint=192.0.2.1'
      if (target === undefined || Number(priority) > 65_535) throw problem('value', example)
      const named = target === '.' ? '' : host(target)
      const record = { type, priority: Number(priority), target: named, parameters }
      try {
        encodeSvcb(record)
      } catch (error) {
        throw problem('value', `${(error as Error).message} ${example}`)
      }
      return record
    }
  }
}

/** Each quoted text is a string; other text is one string. Strings are split at 255 bytes. */
function readStrings(value: string, { isHelpful }: ProviderRules): string[] {
  if (Buffer.byteLength(value) > 4000) throw problem('value', 'The text is too long.')
  const isQuoted = isHelpful && /^("[^"]*"\s*)+$/.test(value)
  const strings = isQuoted
    ? [...value.matchAll(/"([^"]*)"/g)].map(([, text = '']) => text)
    : [value]
  return strings.flatMap(toStrings)
}

function target(text: string, zone: string, { isHelpful }: ProviderRules): string {
  if (text === '@') return zone
  return isHelpful && text.includes('.')
    ? checked('value', text)
    : absolute('value', text, zone, true)
}

function absolute(field: 'name' | 'value', text: string, zone: string, isLiteral: boolean): string {
  const isWhole = text.endsWith('.') || (!isLiteral && text.toLowerCase().endsWith(`.${zone}`))
  const isZone = !isLiteral && text.toLowerCase() === zone
  return checked(field, isWhole || isZone ? text : `${text}.${zone}`)
}

function checked(field: 'name' | 'value', text: string): string {
  const lower = text.replace(/\.$/, '').toLowerCase()
  const name = /[^\p{ASCII}]/u.test(lower) ? domainToASCII(lower) : lower
  const isName =
    /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
  if (name.length > 253 || !isName.test(name))
    throw problem(field, `${JSON.stringify(text)} is not a DNS name.`)
  return name
}

/** Throws RegistrarError if the record conflicts with others of its zone. */
export function checkBeside(
  zone: string,
  record: ZoneRecord,
  others: ZoneRecord[],
  { isHelpful }: ProviderRules,
): void {
  const here = others.filter(({ name }) => name === record.name)
  const same = (other: ZoneRecord): boolean =>
    JSON.stringify({ ...other, ttlSeconds: 0 }) === JSON.stringify({ ...record, ttlSeconds: 0 })
  if (here.some(same)) throw problem('value', 'This record already exists.')
  if (record.type === 'NS' && (record.name === zone || record.name.startsWith('*.')))
    throw problem('name', 'NS records delegate a name below the domain to other servers.')
  if (!isHelpful) return
  if (record.type === 'CNAME' && record.name === zone)
    throw problem('type', 'The domain itself cannot be a CNAME. Use ALIAS.')
  const clash = here.find(
    ({ type }) =>
      type === 'CNAME' ||
      record.type === 'CNAME' ||
      (record.type === 'ALIAS' && ['A', 'AAAA', 'ALIAS'].includes(type)) ||
      (type === 'ALIAS' && ['A', 'AAAA'].includes(record.type)),
  )
  if (clash) throw problem('type', `This name has a ${clash.type} record. Delete it first.`)
}

/** The record as it would be entered. */
export function writeRecord(zone: string, record: ZoneRecord): EditedRecord {
  return {
    name: record.name === zone ? '@' : record.name.slice(0, -zone.length - 1),
    type: record.type as EditedType,
    ttlSeconds: record.ttlSeconds,
    value: textOf(record),
  }
}

function textOf(record: ZoneRecord): string {
  if (record.type === 'ALIAS') return `${record.target}.`
  if ('parameters' in record)
    return `${record.priority} ${record.target}. ${record.parameters}`.trim()
  if (record.type === 'TXT') {
    const [first = '', ...more] = record.strings.map((text) => textBytes(text).toString())
    return more.length === 0 ? first : [first, ...more].map((text) => `"${text}"`).join(' ')
  }
  const value = recordValue(record)
  return ['CNAME', 'NS', 'MX'].includes(record.type) ? `${value}.` : value
}

export class RegistrarError extends Error {
  override readonly name = 'RegistrarError'
  readonly status: number
  readonly code: string
  readonly field: string | undefined
  constructor(status: number, code: string, message: string, field?: string) {
    super(message)
    this.status = status
    this.code = code
    this.field = field
  }
}
