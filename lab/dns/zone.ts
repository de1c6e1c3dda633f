// The records of a zone in the lab, and their form in dns-packet. Names are lower-case ASCII without the dot at the
// end; the root is the empty string.
import type { Answer } from 'dns-packet'
import { isWithin, parentOf } from '#dns/messages/dns-name.ts'
import { encodeSvcb, httpsOnWire } from './encode-svcb.ts'

export type RecordData =
  | { type: 'A'; address: string }
  | { type: 'AAAA'; address: string }
  | { type: 'CNAME'; target: string }
  | { type: 'NS'; target: string }
  /** Answered with the current addresses of its target. */
  | { type: 'ALIAS'; target: string }
  | { type: 'TXT'; strings: string[] }
  | { type: 'CAA'; flags: number; tag: string; value: string }
  | { type: 'MX'; preference: number; target: string }
  /** RFC 9460: the parameters in the form of a zone file, such as `alpn=h2 ipv4hint=192.0.2.1`. */
  | { type: 'HTTPS'; priority: number; target: string; parameters: string }
  | { type: 'DS'; keyTag: number; algorithm: number; digestType: number; digest: string }
  | { type: 'SOA'; primary: string; mailbox: string; serial: number; minimumSeconds: number }

export type ZoneRecord = { name: string; ttlSeconds: number } & RecordData

/** The record in the form of dns-packet. Throws for an ALIAS, which is never sent. */
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
      // Unknown tags are sent unchanged.
      return { ...base, type: 'CAA', data: { ...record, tag: record.tag as 'issue' } }
    case 'MX':
      return { ...base, type: 'MX', data: { ...record, exchange: onWire(record.target) } }
    case 'HTTPS':
      return { ...base, type: httpsOnWire as 'NULL', data: encodeSvcb(record) }
    case 'DS':
      return { ...base, type: 'DS', data: { ...record, digest: Buffer.from(record.digest, 'hex') } }
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
      throw new Error('an ALIAS is never sent')
  }
}

/** dns-packet writes the root as a dot. */
export const onWire = (name: string): string => (name === '' ? '.' : name)

/** Lower case, without the dot at the end. */
export const fromWire = (name: string): string => name.toLowerCase().replace(/\.$/, '')

export interface Zone {
  name: string
  soa: Extract<ZoneRecord, { type: 'SOA' }>
  /** All records in their original order. */
  records: ZoneRecord[]
  /** The records of a name; empty for an empty non-terminal; undefined when the name does not exist. */
  findNode(name: string): ZoneRecord[] | undefined
}

/** Throws if a record is outside the zone, or the apex does not have exactly one SOA. */
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
