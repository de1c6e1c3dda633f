// The records of a domain at the registrar as those of the template engine, and back.
import { type EditedRecord, editedTypes } from '../edited-record.ts'
import type { EngineRecord } from './template-engine/engine-records.ts'

/** A record that the registrar shows, as an engine's. */
export function toEngineRecord({ name, ttlSeconds, type, value }: EditedRecord): EngineRecord {
  const plain = value.replace(/\.$/, '')
  const base = { type, name, ttl: ttlSeconds }
  if (type !== 'MX')
    return { ...base, data: ['CNAME', 'NS', 'ALIAS'].includes(type) ? plain : value }
  const [priority, exchange = ''] = plain.split(/\s+/)
  return { ...base, data: exchange, priority: Number(priority) }
}

/** As it would be typed at any provider: with whole names. Undefined for a type that the lab has not. */
export function toEditedRecord(
  zone: string,
  { data, name, priority, ttl = 3600, type }: EngineRecord,
): EditedRecord | undefined {
  const known = editedTypes.find((each) => each === type)
  if (!known) return undefined
  const isName = ['CNAME', 'NS', 'ALIAS', 'MX'].includes(type)
  const target = isName ? `${data.replace(/\.$/, '')}.` : data
  return {
    name: name === '@' ? '@' : `${name}.${zone}.`,
    type: known,
    ttlSeconds: ttl,
    value: type === 'MX' ? `${priority} ${target}` : target,
  }
}
