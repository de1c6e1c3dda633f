// The zones of the lab: their records, and the version of a zone that each of its name servers has. Names are lower-case
// ASCII without the dot at the end; the root is the empty string.

import { isIPv4, isIPv6 } from 'node:net'
import { addressBytes } from '#acme/x509/extensions.ts'
import { escapeBytes, isWithin, parentOf, writeName } from '#dns/messages/dns-name.ts'
import type { DnsRecord } from '#dns/messages/exchange.ts'

type Data<T> = T extends unknown ? Omit<T, 'name' | 'ttlSeconds'> : never

export type RecordData =
  | Data<DnsRecord>
  /** Answered with the current addresses of its target. */
  | { type: 'ALIAS'; target: string }
  /** RFC 9460: the parameters in the form of a zone file, such as `alpn=h2 ipv4hint=192.0.2.1`. */
  | { type: 'HTTPS'; priority: number; target: string; parameters: string }

export type ZoneRecord = { name: string; ttlSeconds: number } & RecordData

/** The strings of a TXT record: each of at most 255 bytes, those beyond ASCII as `\DDD`. */
export function toStrings(text: string): string[] {
  const bytes = Buffer.from(text)
  const parts = Math.max(1, Math.ceil(bytes.length / 255))
  return Array.from({ length: parts }, (_, i) =>
    escapeBytes(bytes.subarray(i * 255, (i + 1) * 255)),
  )
}

/** The bytes of such a string. */
export function textBytes(text: string): Buffer {
  const plain = text.replaceAll(/\\(\d{3})/g, (_, byte) => String.fromCharCode(Number(byte)))
  return Buffer.from(plain, 'latin1')
}

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

/** Seconds until a new version arrives; `held`: not until the delay is changed. */
export type Delay = number | 'held'

export type PublishedZone = ReturnType<typeof publishZone>

interface Copy {
  delay: Delay
  /** Index of the version that is there. */
  shown: number
}

/**
 * A zone at its name servers. All have the first version immediately; each gets a later one after its own delay, or when
 * that is changed. The version of a server is computed on each read, without timers. It never decreases.
 */
export function publishZone(first: Zone, servers: string[], now: () => number) {
  const versions = [{ zone: first, at: now() }]
  const copies = new Map<string, Copy>(servers.map((server) => [server, { delay: 0, shown: 0 }]))

  function copyAt(server: string): Copy {
    const copy = copies.get(server)
    if (!copy) throw new Error(`${server} is not a server of ${first.name}`)
    const time = now()
    for (let i = copy.shown + 1; i < versions.length; i++) {
      const due = dueAt(copy, i)
      if (due !== undefined && due <= time) copy.shown = i
    }
    return copy
  }

  /** Milliseconds since the epoch; undefined if the version does not exist or is held. */
  function dueAt({ delay }: Copy, version: number): number | undefined {
    const at = versions[version]?.at
    return delay === 'held' || at === undefined ? undefined : at + delay * 1000
  }

  return {
    /** Adds a version, which reaches each server after its delay. */
    publish(zone: Zone): void {
      for (const server of copies.keys()) copyAt(server)
      versions.push({ zone, at: now() })
    },
    /** The version of a server. */
    zoneAt: (server: string): Zone => versions[copyAt(server).shown]?.zone ?? first,
    setDelay(server: string, delay: Delay): void {
      copyAt(server).delay = delay
    },
    describe: () =>
      [...copies.keys()].map((server) => {
        const copy = copyAt(server)
        return {
          server,
          delay: copy.delay,
          serial: versions[copy.shown]?.zone.soa.serial ?? 0,
          isCurrent: copy.shown === versions.length - 1,
          dueAt: dueAt(copy, copy.shown + 1),
        }
      }),
  }
}

/** RFC 9460, section 14.3.2; `ech` and `mandatory` are left out. */
const keys = { alpn: 1, 'no-default-alpn': 2, port: 3, ipv4hint: 4, ipv6hint: 6 } as const
type Key = keyof typeof keys

/**
 * The data of an HTTPS record (RFC 9460, section 2.2). Throws a RangeError for parameters that cannot be encoded.
 */
export function encodeSvcb({
  parameters,
  priority,
  target,
}: Extract<RecordData, { type: 'HTTPS' }>): Buffer {
  const encoded = readParameters(parameters)
    .toSorted(([a], [b]) => keys[a] - keys[b])
    .map(([key, value]) => {
      const data = encodeValue(key, value)
      return Buffer.concat([twoBytes(keys[key]), twoBytes(data.length), data])
    })
  return Buffer.concat([twoBytes(priority), writeName(target) ?? Buffer.of(0), ...encoded])
}

function readParameters(text: string): [Key, string][] {
  const parts = text.split(/\s+/).filter((part) => part !== '')
  return parts.map((part) => {
    const [name = '', value = ''] = part.split('=', 2)
    if (!(name in keys)) throw new RangeError(`${name} is not a parameter that the lab knows.`)
    return [name as Key, value.replaceAll('"', '')]
  })
}

function encodeValue(key: Key, value: string): Buffer {
  const parts = value.split(',')
  if (key === 'no-default-alpn') return Buffer.alloc(0)
  if (key === 'port' && /^\d{1,5}$/.test(value)) return twoBytes(Number(value))
  if (key === 'alpn' && parts.every((part) => /^[\w./-]{1,32}$/.test(part)))
    return Buffer.concat(parts.map((part) => Buffer.from([part.length, ...Buffer.from(part)])))
  const isAddress = { ipv4hint: isIPv4, ipv6hint: isIPv6 }[String(key)]
  if (isAddress && parts.every(isAddress)) return Buffer.concat(parts.map(addressBytes))
  throw new RangeError(`${key} has a value that cannot be encoded.`)
}

export function twoBytes(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}
