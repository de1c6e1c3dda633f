// Applies the records of a template to a zone (draft-ietf-dconn-domainconnect, Template Application): what is added, what
// is deleted because it conflicts, and the zone afterwards. Pure: nothing is written.
import { randomUUID } from 'node:crypto'
import {
  type AppliedBy,
  type EngineRecord,
  type EngineTemplateRecord,
  isSameRecord,
  normalised,
  TemplateError,
} from './engine-records.ts'
import { renderRecord } from './render-record.ts'
import type { Place } from './resolve-variables.ts'

interface Application extends Place {
  zone: readonly EngineRecord[]
  records: readonly EngineTemplateRecord[]
  /** Only records of these groups, and those without a group; none: all records. */
  groups?: readonly string[]
  /** Of a provider that remembers which template created a record. */
  remembers?: {
    providerId: string
    serviceId: string
    /** By default a random one. */
    id?: string
    /** Applying it again adds to the former application instead of replacing it. */
    isMultiInstance?: boolean
  }
  /** The address records that a provider adds for its redirects. */
  redirectRecords?: readonly EngineTemplateRecord[]
}

export interface Applied {
  added: EngineRecord[]
  deleted: EngineRecord[]
  zone: EngineRecord[]
}

interface ZoneEntry {
  record: EngineRecord
  state: 'kept' | 'deleted' | 'replaced'
}

const sharedTypes = ['A', 'AAAA', 'CNAME', 'REDIR301', 'REDIR302']
/** What a new record of a type replaces at its name. */
const replacedTypes: Record<string, string[]> = {
  A: sharedTypes,
  AAAA: sharedTypes,
  CNAME: [...sharedTypes, 'MX', 'TXT'],
  APEXCNAME: [...sharedTypes, 'MX', 'TXT'],
  MX: ['MX', 'CNAME'],
  SRV: ['SRV'],
  REDIR301: ['A', 'AAAA', 'CNAME', 'REDIR301', 'REDIR302'],
  REDIR302: ['A', 'AAAA', 'CNAME', 'REDIR301', 'REDIR302'],
}

/** Throws TemplateError. */
export function applyTemplate(application: Application): Applied {
  const { groups = [], remembers, zone } = application
  const entries = zone.map((record): ZoneEntry => ({ record: normalised(record), state: 'kept' }))
  if (remembers && !remembers.isMultiInstance) replaceFormer(entries, application)
  const origin = originOf(application)
  const added: EngineRecord[] = []
  for (const record of withRedirects(application)) {
    const { groupId } = record
    if (groups.length > 0 && groupId !== undefined && !groups.includes(groupId)) continue
    const rendered = renderRecord(record, application)
    const made = rendered.type === 'SPFM' ? mergeSpf(entries, rendered) : rendered
    if (!made) continue
    checkBeside(made, added)
    if (rendered.type !== 'SPFM') deleteConflicts(entries, made, record)
    const essential = record.essential ?? 'Always'
    const complete = normalised(origin ? { ...made, _dc: { ...origin, essential } } : made)
    // What is there already is not added again.
    const isThere = entries.some(
      (entry) => entry.state === 'kept' && isSameRecord(entry.record, complete),
    )
    if (origin || !isThere) added.push(complete)
  }
  if (remembers) deleteWholeTemplates(entries)
  const kept = entries.filter(({ state }) => state === 'kept').map(({ record }) => record)
  const deleted = entries.filter(({ state }) => state !== 'kept').map(({ record }) => record)
  return { added, deleted, zone: [...added, ...kept] }
}

function originOf({ host, remembers }: Application): Omit<AppliedBy, 'essential'> | undefined {
  if (!remembers) return undefined
  const { id = randomUUID(), providerId, serviceId } = remembers
  return { id, providerId, serviceId, host }
}

function replaceFormer(entries: ZoneEntry[], { host, remembers }: Application): void {
  for (const entry of entries) {
    const { _dc: by } = entry.record
    const isFormer =
      by?.providerId === remembers?.providerId &&
      by?.serviceId === remembers?.serviceId &&
      by?.host === host
    if (by && isFormer && host !== '') entry.state = 'replaced'
  }
}

/** A redirect needs an address at its name, which the provider gives. */
function withRedirects({ records, redirectRecords }: Application): EngineTemplateRecord[] {
  return records.flatMap((record) => {
    if (!record.type.startsWith('REDIR')) return [record]
    if (!redirectRecords)
      throw new TemplateError('InvalidTemplate', 'This provider has no redirects.')
    const { groupId, host = '@' } = record
    const group = groupId === undefined ? {} : { groupId }
    return [...redirectRecords.map((address) => ({ ...address, ...group, host })), record]
  })
}

/** Undefined where the zone's SPF record has the rules already. */
function mergeSpf(entries: ZoneEntry[], rules: EngineRecord): EngineRecord | undefined {
  const { data, name } = rules
  const existing = entries.find(
    ({ record }) =>
      record.type === 'TXT' &&
      record.name === name.toLowerCase() &&
      record.data.startsWith('v=spf1 '),
  )
  if (!existing) return { type: 'TXT', name, data: `v=spf1 ${data} ~all`, ttl: rules.ttl ?? 6000 }
  const { record } = existing
  if (record.data.includes(data) || existing.state === 'replaced') return undefined
  existing.state = 'deleted'
  const merged = `v=spf1 ${data} ${record.data.slice('v=spf1 '.length)}`
  return { type: 'TXT', name, data: merged, ttl: record.ttl ?? 6000 }
}

const isBelow = (name: string, above: string): boolean => name.endsWith(`.${above}`)

function deleteConflicts(
  entries: ZoneEntry[],
  made: EngineRecord,
  template: EngineTemplateRecord,
): void {
  const name = made.name.toLowerCase()
  for (const entry of entries) {
    if (entry.state === 'replaced') continue
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
    if (conflicts || isDelegated) entry.state = 'deleted'
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
function checkBeside(made: EngineRecord, others: readonly EngineRecord[]): void {
  const isAlias = ({ type }: EngineRecord) => type === 'CNAME' || type === 'APEXCNAME'
  const isAbove = (a: EngineRecord, b: EngineRecord) =>
    a.type === 'NS' && b.type !== 'NS' && (a.name === b.name || isBelow(b.name, a.name))
  const clash = others.find((other) => {
    const isHere = other.name === made.name.toLowerCase()
    return (
      (isHere && (isAlias(made) || isAlias(other))) || isAbove(made, other) || isAbove(other, made)
    )
  })
  if (!clash) return
  throw new TemplateError(
    'InvalidData',
    `${made.type} ${made.name} and ${clash.type} ${clash.name} of the template conflict.`,
  )
}

/** Without one of its essential records a template does not work: all its records go. */
function deleteWholeTemplates(entries: ZoneEntry[]): void {
  const broken = entries.flatMap(({ record: { _dc }, state }) =>
    state === 'deleted' && _dc?.essential === 'Always' ? [_dc] : [],
  )
  for (const entry of entries) {
    const { _dc: by } = entry.record
    const isPart = broken.some(
      (other) =>
        other.providerId === by?.providerId &&
        other.serviceId === by?.serviceId &&
        other.host === by?.host,
    )
    if (by && isPart && entry.state === 'kept') entry.state = 'deleted'
  }
}
