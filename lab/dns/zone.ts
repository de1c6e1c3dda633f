// A record of a zone in the lab, and its form on the wire. Names are lower-case ASCII without the dot at
// the end; the root is the empty string.
import type { Answer } from 'dns-packet'

export type RecordData =
  | { type: 'A'; address: string }
  | { type: 'AAAA'; address: string }
  | { type: 'CNAME'; target: string }
  | { type: 'NS'; target: string }
  /** Answered as the addresses of its target, found when asked. */
  | { type: 'ALIAS'; target: string }
  | { type: 'TXT'; strings: string[] }
  | { type: 'CAA'; flags: number; tag: string; value: string }
  | { type: 'MX'; preference: number; target: string }
  | { type: 'DS'; keyTag: number; algorithm: number; digestType: number; digest: string }
  | { type: 'SOA'; primary: string; mailbox: string; serial: number; minimumSeconds: number }

export type ZoneRecord = { name: string; ttlSeconds: number } & RecordData

export type SoaRecord = Extract<ZoneRecord, { type: 'SOA' }>

/** The record as dns-packet writes it. Throws for an ALIAS, which is never on the wire. */
export function toAnswer(record: ZoneRecord): Answer {
  const base = { name: onWire(record.name), ttl: record.ttlSeconds, class: 'IN' as const }
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return { ...base, type: record.type, data: record.address }
    case 'CNAME':
    case 'NS':
      return { ...base, type: record.type, data: onWire(record.target) }
    case 'TXT':
      return { ...base, type: 'TXT', data: record.strings.map((text) => Buffer.from(text)) }
    case 'CAA':
      // Unknown tags are sent as they are: a server does not judge them.
      return {
        ...base,
        type: 'CAA',
        data: { flags: record.flags, tag: record.tag as 'issue', value: record.value },
      }
    case 'MX':
      return {
        ...base,
        type: 'MX',
        data: { preference: record.preference, exchange: onWire(record.target) },
      }
    case 'DS': {
      const { algorithm, digestType, keyTag } = record
      const digest = Buffer.from(record.digest, 'hex')
      return { ...base, type: 'DS', data: { keyTag, algorithm, digestType, digest } }
    }
    case 'SOA':
      return {
        ...base,
        type: 'SOA',
        data: {
          mname: onWire(record.primary),
          rname: onWire(record.mailbox),
          serial: record.serial,
          refresh: 3600,
          retry: 600,
          expire: 1_209_600,
          minimum: record.minimumSeconds,
        },
      }
    case 'ALIAS':
      throw new Error('an ALIAS is not on the wire')
  }
}

/** The root has a dot on the wire's side of the library. */
export const onWire = (name: string): string => (name === '' ? '.' : name)

/** Lower case, without the dot at the end. */
export const fromWire = (name: string): string => name.toLowerCase().replace(/\.$/, '')

/** Whether `name` is `zone` or below it. */
export function isWithin(name: string, zone: string): boolean {
  return zone === '' || name === zone || name.endsWith(`.${zone}`)
}

/** The name without its first label; undefined for the root. */
export function parentOf(name: string): string | undefined {
  if (name === '') return undefined
  const dot = name.indexOf('.')
  return dot < 0 ? '' : name.slice(dot + 1)
}

export interface Zone {
  name: string
  soa: SoaRecord
  /** All records, the SOA too, in the order in which they were given. */
  records: ZoneRecord[]
  /** The records of a name; empty for an empty non-terminal; undefined when the name does not exist. */
  findNode(name: string): ZoneRecord[] | undefined
}

/** Throws when a record is outside of the zone, or the apex has not exactly one SOA. */
export function createZone(name: string, records: ZoneRecord[]): Zone {
  const nodes = new Map<string, ZoneRecord[]>()
  for (const record of records) {
    if (!isWithin(record.name, name)) throw new Error(`${record.name} is not in ${name}`)
    for (let at: string | undefined = record.name; at !== undefined; at = parentOf(at)) {
      if (!nodes.has(at)) nodes.set(at, [])
      if (at === name) break
    }
    nodes.get(record.name)?.push(record)
  }
  const soas = records.filter((record) => record.type === 'SOA')
  const [soa] = soas
  if (!soa || soas.length > 1 || soa.name !== name) throw new Error(`${name} needs one SOA`)
  return { name, soa, records, findNode: (at) => nodes.get(at) }
}
