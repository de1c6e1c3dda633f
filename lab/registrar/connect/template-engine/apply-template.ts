// Applies the records of a template to a zone (draft-ietf-dconn-domainconnect, Template Application): what is added, what
// is deleted because it conflicts, and the zone afterwards. Pure: nothing is written. Only types that the lab's registrar
// has: no SRV, SPFM, APEXCNAME or redirects. Names are relative to the zone, `@` for the zone itself.
import { isIPv4, isIPv6 } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import type { TemplateRecord } from '#optional/domain-connect/links/connect-template.ts'

const invalid = (message: string): TemplateError => new TemplateError('InvalidData', message)

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/i
const isLabels = (text: string): boolean =>
  text.length <= 253 && text.split('.').every((part) => label.test(part))
const isTarget = (text: string): boolean => isLabels(text.replace(/\.$/, ''))
const isName = (name: string): boolean =>
  name === '@' || name === '*' || isLabels(name.replace(/^\*\./, ''))

/** A record of a zone from a record of a template. Throws TemplateError if it is invalid. */
function renderRecord(record: EngineTemplateRecord, place: Place): EngineRecord {
  const type = record.type.toUpperCase()
  if (!knownTypes.includes(type))
    throw new TemplateError('TypeError', `This provider has no ${record.type} records.`)
  const name = nameOf(type, record, place)
  const data = dataOf(type, record, place)
  const ttl = record.ttl === undefined ? {} : { ttl: wholeNumber(record.ttl, 'ttl', place) }
  const { priority = '' } = record
  const order = type === 'MX' ? { priority: wholeNumber(priority, 'priority', place) } : {}
  return { type, name, data, ...ttl, ...order }
}

function nameOf(type: string, record: EngineTemplateRecord, place: Place): string {
  const name = recordName(record.host ?? '@', place)
  if (isName(name) && (type !== 'CNAME' || name !== '@')) return name
  throw invalid(`${name} is no name for a ${type} record.`)
}

function dataOf(type: string, record: EngineTemplateRecord, place: Place): string {
  const check = (data: string, isValid: boolean): string => {
    if (isValid) return data
    throw invalid(`${JSON.stringify(data)} is no data for a ${type} record.`)
  }
  switch (type) {
    case 'A':
    case 'AAAA': {
      const data = targetName(record.pointsTo ?? '', place)
      return check(data, type === 'A' ? isIPv4(withAllParts(data)) : isIPv6(data))
    }
    case 'MX':
    case 'CNAME':
    case 'NS': {
      const text = record.pointsTo ?? ''
      const data = targetName(text, place)
      return check(data, isTarget(data) && !(type === 'NS' && text === '@'))
    }
    case 'TXT':
      return fillIn(record.data ?? '', place)
    default: {
      const data = fillIn(record.data ?? '', place)
      return check(data, data !== '' && data !== '@')
    }
  }
}

/** An IPv4 address may leave out parts, which are zero (inet_aton). */
function withAllParts(text: string): string {
  const parts = text.split('.')
  return /^\d+(\.\d+){0,3}$/.test(text) ? [...parts, '0', '0', '0'].slice(0, 4).join('.') : text
}

interface Application extends Place {
  zone: readonly EngineRecord[]
  records: readonly EngineTemplateRecord[]
  /** Only records of these groups, and those without a group; none: all records. */
  groups?: readonly string[]
}

export interface Applied {
  added: EngineRecord[]
  deleted: EngineRecord[]
  zone: EngineRecord[]
}

interface ZoneEntry {
  record: EngineRecord
  isKept: boolean
}

const sharedTypes = ['A', 'AAAA', 'CNAME']
/** What a new record of a type replaces at its name. */
const replacedTypes: Record<string, string[]> = {
  A: sharedTypes,
  AAAA: sharedTypes,
  CNAME: [...sharedTypes, 'MX', 'TXT'],
  MX: ['MX', 'CNAME'],
}

/** Throws TemplateError. */
export function applyTemplate(application: Application): Applied {
  const { groups = [], records, zone } = application
  const entries = zone.map((record): ZoneEntry => ({ record: normalised(record), isKept: true }))
  const added: EngineRecord[] = []
  for (const record of records) {
    const { groupId } = record
    if (groups.length > 0 && groupId !== undefined && !groups.includes(groupId)) continue
    const rendered = renderRecord(record, application)
    checkBeside(rendered, added)
    deleteConflicts(entries, rendered, record)
    const complete = normalised(rendered)
    // What is there already is not added again.
    const isThere = entries.some((entry) => entry.isKept && isSameRecord(entry.record, complete))
    if (!isThere) added.push(complete)
  }
  const remaining = entries.filter(({ isKept }) => isKept).map(({ record }) => record)
  const deleted = entries.filter(({ isKept }) => !isKept).map(({ record }) => record)
  return { added, deleted, zone: [...added, ...remaining] }
}

const isBelow = (name: string, above: string): boolean => name.endsWith(`.${above}`)

function deleteConflicts(
  entries: ZoneEntry[],
  made: EngineRecord,
  template: EngineTemplateRecord,
): void {
  const name = made.name.toLowerCase()
  for (const entry of entries) {
    const { record } = entry
    const isHere = record.name === name
    const conflicts =
      made.type === 'NS'
        ? isHere || isBelow(record.name, name)
        : made.type === 'TXT'
          ? isHere && conflictsWithTxt(record, template)
          : isHere && (replacedTypes[made.type]?.includes(record.type) ?? false)
    // A record in a delegated part of the zone would not be seen.
    const isDelegated =
      made.type !== 'NS' &&
      name !== '@' &&
      record.type === 'NS' &&
      (isHere || isBelow(name, record.name))
    if (conflicts || isDelegated) entry.isKept = false
  }
}

function conflictsWithTxt(record: EngineRecord, template: EngineTemplateRecord): boolean {
  if (record.type === 'CNAME') return true
  if (record.type !== 'TXT') return false
  const { txtConflictMatchingMode = 'None', txtConflictMatchingPrefix } = template
  if (txtConflictMatchingMode === 'All') return true
  return (
    txtConflictMatchingMode === 'Prefix' &&
    txtConflictMatchingPrefix !== undefined &&
    record.data.startsWith(txtConflictMatchingPrefix)
  )
}

/** Two records of one template that cannot both be in a zone. */
function checkBeside(record: EngineRecord, others: readonly EngineRecord[]): void {
  const isAlias = ({ type }: EngineRecord) => type === 'CNAME'
  const isAbove = (a: EngineRecord, b: EngineRecord) =>
    a.type === 'NS' && b.type !== 'NS' && (a.name === b.name || isBelow(b.name, a.name))
  const clash = others.find((other) => {
    const isHere = other.name === record.name.toLowerCase()
    return (
      (isHere && (isAlias(record) || isAlias(other))) ||
      isAbove(record, other) ||
      isAbove(other, record)
    )
  })
  if (!clash) return
  throw invalid(
    `${record.type} ${record.name} and ${clash.type} ${clash.name} of the template conflict.`,
  )
}

interface Place {
  /** The apex of the zone. */
  domain: string
  /** The labels that the template is applied at; empty for the apex. */
  host: string
  params: Readonly<Record<string, string>>
}

/**
 * Fills in the variables of a template (draft-ietf-dconn-domainconnect, Resolving Template Variables). One pass: values are
 * not expanded again. Throws MissingParameter and InvalidTemplate.
 */
function fillIn(text: string, { domain, host, params }: Place): string {
  if (text.split('%').length % 2 === 0)
    throw new TemplateError(
      'InvalidTemplate',
      `A variable does not end in ${JSON.stringify(text)}.`,
    )
  const values = new Map([
    ...Object.entries(params),
    ['domain', domain],
    ['host', host],
    ['fqdn', host === '' ? domain : `${host}.${domain}`],
  ])
  return text.replaceAll(/%([^%]*)%/g, (_, name: string) => {
    const value = values.get(name)
    if (value !== undefined) return value
    throw new TemplateError('MissingParameter', `The variable ${name} is missing.`)
  })
}

/** The name of a record relative to the zone; `@` for the zone itself. */
function recordName(text: string, place: Place): string {
  const { domain, host } = place
  const filled = fillIn(text, place)
  if (filled === '' || filled === '@') return host === '' ? '@' : host
  const [, wildcard = '', rest = ''] = /^(\*\.|\*$)?(.*)$/.exec(filled) ?? []
  if (wildcard === '*.' && (rest === '' || rest === '@'))
    throw invalid(`${filled} is no name of a wildcard.`)
  if (rest.endsWith('.')) {
    const inZone =
      rest === `${domain}.`
        ? ''
        : rest.endsWith(`.${domain}.`)
          ? rest.slice(0, -domain.length - 2)
          : rest
    if (wildcard === '') return inZone === '' ? '@' : inZone
    return inZone === '' ? `*${host === '' ? '' : `.${host}`}` : `*.${inZone}`
  }
  const labels = [wildcard === '' ? '' : '*', rest, host].filter((part) => part !== '')
  return labels.join('.')
}

/** The target of a record: always absolute; `@` is the name that the template is applied at. */
function targetName(text: string, place: Place): string {
  const filled = fillIn(text, place)
  if (filled !== '@') return filled
  return place.host === '' ? place.domain : `${place.host}.${place.domain}`
}

/** A whole number, or one variable for one. */
function wholeNumber(value: number | string, field: string, place: Place): number {
  const text = String(value)
  const isOne = /^-?\d+$/.test(text) || /^%[^%]+%$/.test(text)
  const number = Number(isOne ? fillIn(text, place) : Number.NaN)
  if (Number.isInteger(number)) return number
  throw invalid(`${field} is no whole number: ${text}.`)
}

/** A record of a zone, as providers keep it. */
export interface EngineRecord {
  type: string
  name: string
  data: string
  ttl?: number
  /** MX. */
  priority?: number
}

/** A record of a template, whose values may have variables; any text for a mode, and with the priority of MX. */
export type EngineTemplateRecord = Omit<TemplateRecord, 'txtConflictMatchingMode'> & {
  priority?: number | string
  txtConflictMatchingMode?: string
}

type TemplateProblem =
  | 'InvalidData'
  | 'InvalidTemplate'
  | 'MissingParameter'
  | 'HostRequired'
  | 'TypeError'

/** The template cannot be applied. The message is for people. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  readonly problem: TemplateProblem
  constructor(problem: TemplateProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

const knownTypes = ['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'CAA']

/** Types and names in one case, and the data of most types. */
function normalised(record: EngineRecord): EngineRecord {
  const type = record.type.toUpperCase()
  const { data, name } = record
  const isText = type === 'TXT' || type === 'CAA'
  return { ...record, type, name: name.toLowerCase(), data: isText ? data : data.toLowerCase() }
}

/** Equal apart from TTL. */
function isSameRecord(a: EngineRecord, b: EngineRecord): boolean {
  return isDeepStrictEqual({ ...a, ttl: 0 }, { ...b, ttl: 0 })
}
