// Makes a record of a zone from a record of a template, and validates it.
import { isIPv4, isIPv6 } from 'node:net'
import {
  type EngineRecord,
  type EngineTemplateRecord,
  isCoreType,
  TemplateError,
} from './engine-records.ts'
import { fillIn, type Place, recordName, targetName, wholeNumber } from './resolve-variables.ts'

const invalid = (message: string): TemplateError => new TemplateError('InvalidData', message)

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/i
const isLabels = (text: string): boolean =>
  text.length <= 253 && text.split('.').every((part) => label.test(part))
const isTarget = (text: string): boolean => isLabels(text.replace(/\.$/, ''))
const isName = (name: string): boolean =>
  name === '@' || name === '*' || isLabels(name.replace(/^\*\./, ''))

/** SPFM becomes a TXT record only beside the zone's own (apply-template.ts): its data are the rules. */
export function renderRecord(record: EngineTemplateRecord, place: Place): EngineRecord {
  const type = record.type.toUpperCase()
  if (!isCoreType(type) && !/^[A-Z0-9][A-Z0-9-]*$/.test(type))
    throw new TemplateError('TypeError', `There is no record type ${JSON.stringify(record.type)}.`)
  const name = nameOf(type, record, place)
  const data = dataOf(type, record, place)
  const ttl = record.ttl === undefined ? {} : { ttl: wholeNumber(record.ttl, 'ttl', place) }
  const number = (field: 'priority' | 'weight' | 'port') =>
    wholeNumber(record[field] ?? '', field, place)
  if (type === 'MX') return { type, name, data, ...ttl, priority: number('priority') }
  if (type === 'SRV') {
    const service = fillIn(record.service ?? '', place)
    if (!isTarget(service)) throw invalid(`${service} is no service.`)
    const numbers = { priority: number('priority'), weight: number('weight'), port: number('port') }
    return { type, name, data, ...ttl, protocol: protocolOf(record, place), service, ...numbers }
  }
  if (type.startsWith('REDIR')) return { type, name, data }
  return { type, name, data, ...ttl }
}

function nameOf(type: string, record: EngineTemplateRecord, place: Place): string {
  if (type === 'APEXCNAME') {
    if ((record.host ?? '@') !== '@') throw invalid('APEXCNAME is for the zone itself.')
    return '@'
  }
  if (type !== 'SRV') {
    const name = recordName(record.host ?? '@', place)
    const isAllowed = isName(name) && (type !== 'CNAME' || name !== '@')
    if (isAllowed) return name
    throw invalid(`${name} is no name for a ${type} record.`)
  }
  const name = recordName(record.name ?? '', place)
  if (name !== '@' && isLabels(`_${record.protocol ?? ''}.${name}`.replaceAll('%', ''))) return name
  throw invalid(`${name} is no name for an SRV record.`)
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
    case 'APEXCNAME':
    case 'NS': {
      const text = record.pointsTo ?? ''
      const data = targetName(text, place)
      return check(data, isTarget(data) && !(type === 'NS' && text === '@'))
    }
    case 'SRV': {
      const data = targetName(record.target ?? '', place)
      return check(data, isTarget(data))
    }
    case 'REDIR301':
    case 'REDIR302': {
      const data = targetName(record.target ?? '', place)
      return check(data, /^https?:\/\/[\w.-]+(:\d{1,5})?([/?#][\x21-\x7e]*)?$/.test(data))
    }
    case 'SPFM':
      return fillIn(record.spfRules ?? '', place)
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

function protocolOf(record: EngineTemplateRecord, place: Place): string {
  const protocol = fillIn(record.protocol ?? '', place)
    .toLowerCase()
    .replace(/^_/, '')
  if (['tcp', 'udp', 'tls'].includes(protocol)) return protocol
  throw invalid(`${protocol} is no protocol of an SRV record.`)
}
