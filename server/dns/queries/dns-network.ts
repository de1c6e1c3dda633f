// What the checks of one process share. Which servers may be queried: addresses of name servers come from untrusted
// zones, so public ones are queried on port 53, others only if the operator allows them (labs, tests, private networks).
// A cache of the upper zones and the addresses of name servers, for their TTL and at most ten minutes, so that checks of
// many names query the registries once; the oldest entries are evicted.
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Clock } from '#kit/clock.ts'
import { createExpiringMap } from '#kit/expiring-map.ts'
import { createFairSemaphore } from '#kit/fair-semaphore.ts'
import { isPublicAddress, portByAddress } from '#kit/network/addresses.ts'
import { isWithin } from '../messages/dns-name.ts'
import {
  type DnsRecord,
  type DnsResponse,
  type Question,
  recordsOfType,
  type ServerAddress,
} from '../messages/exchange.ts'

export interface DnsNetworkOptions {
  /** Default: the root servers of the internet. */
  roots?: ServerAddress[]
  /** The validating recursive resolver whose view is shown, and that finds addresses of name servers. */
  resolver?: ServerAddress
  /**
   * Addresses and ranges to ask in addition to public ones, each with a port if it is not 53: `10.0.0.0/8`,
   * `127.0.0.0/8:5353`, `[fd00::]/8:5353`. The first match determines the port of a name server.
   */
  allow?: string[]
  /** Whether this machine reaches IPv6; detected by default. */
  hasIpv6?: boolean
  /** Keeps the upper part of the tree between checks. */
  cache?: ZoneCache
  /** Open sockets of all checks. */
  maxSockets?: number
  /** Concurrent checks; the time of the others starts after their wait. */
  maxChecks?: number
}

export type DnsNetwork = ReturnType<typeof createDnsNetwork>

/** Throws RangeError for an invalid entry of `allow`. */
export function createDnsNetwork(options: DnsNetworkOptions = {}) {
  const allowed = portByAddress(options.allow ?? [], 53)
  const { roots = rootHints, resolver } = options
  const configured = new Set([...roots, ...(resolver ? [resolver] : [])].map(keyOf))
  /** The port to ask a name server at; undefined for an address that must not be asked. */
  const portOf = (address: string): number | undefined => {
    if (isIP(address) === 0 || address.includes('%')) return undefined
    return allowed.portOf(address) ?? (isPublicAddress(address) ? 53 : undefined)
  }
  return {
    roots,
    resolver,
    hasIpv6: options.hasIpv6 ?? hasGlobalIpv6(),
    cache: options.cache,
    /** Taken for each datagram and connection; the owner is the account that the check is for. */
    sockets: createFairSemaphore({ maxPermits: options.maxSockets ?? 512 }),
    /** Taken for a whole check, so that many checks neither share their time nor flood a server. */
    checks: createFairSemaphore({ maxPermits: options.maxChecks ?? 32 }),
    portOf,
    /** Whether the server is configured or its address may be asked. */
    mayAsk: (server: ServerAddress) =>
      configured.has(keyOf(server)) || portOf(server.address) === server.port,
  }
}

/** Identifies a server, regardless of its name. */
export function keyOf(server: ServerAddress): string {
  return `${server.address}#${server.port}`
}

function hasGlobalIpv6(): boolean {
  return Object.values(networkInterfaces()).some((addresses) =>
    addresses?.some(({ family, address }) => family === 'IPv6' && /^[23]/.test(address)),
  )
}

const letters: [letter: string, ipv4: string, ipv6: string][] = [
  ['a', '198.41.0.4', '2001:503:ba3e::2:30'],
  ['b', '170.247.170.2', '2801:1b8:10::b'],
  ['c', '192.33.4.12', '2001:500:2::c'],
  ['d', '199.7.91.13', '2001:500:2d::d'],
  ['e', '192.203.230.10', '2001:500:a8::e'],
  ['f', '192.5.5.241', '2001:500:2f::f'],
  ['g', '192.112.36.4', '2001:500:12::d0d'],
  ['h', '198.97.190.53', '2001:500:1::53'],
  ['i', '192.36.148.17', '2001:7fe::53'],
  ['j', '192.58.128.30', '2001:503:c27::2:30'],
  ['k', '193.0.14.129', '2001:7fd::1'],
  ['l', '199.7.83.42', '2001:500:9f::42'],
  ['m', '202.12.27.33', '2001:dc3::35'],
]

const rootHints: ServerAddress[] = letters.flatMap(([letter, ipv4, ipv6]) =>
  [ipv4, ipv6].map((address) => ({ name: `${letter}.root-servers.net`, address, port: 53 })),
)

const maxMs = 600_000

export type ZoneCache = ReturnType<typeof createZoneCache>

export function createZoneCache({
  clock,
  maxEntries = 5000,
}: {
  clock: Clock
  maxEntries?: number
}) {
  const zones = createExpiringMap<ZoneCut>(clock, maxEntries)
  const addresses = createExpiringMap<string[]>(clock, maxEntries)
  const lifeOf = (ttlSeconds: number) => Math.min(ttlSeconds * 1000, maxMs)
  return {
    /** By apex. */
    findZone: zones.find,
    keepZone: (zone: ZoneCut) => zones.keep(zone.apex, zone, lifeOf(zone.ttlSeconds)),
    /** By the name of the server. */
    findAddresses: addresses.find,
    keepAddresses: (name: string, found: string[], ttlSeconds: number) =>
      addresses.keep(name, found, lifeOf(ttlSeconds)),
  }
}

/**
 * The boundary of two zones in an answer: a referral, or the SOA record of a zone on the same servers as its parent (RFC
 * 1034, section 4.2; RFC 2308, section 2).
 */
export interface ZoneCut {
  apex: string
  /** Its name servers by the parent's delegation; those of the parent if `isDelegated` is false. */
  parentNames: string[]
  /** False for a zone on the servers of its parent, without a referral. */
  isDelegated: boolean
  /** Addresses that came with the names. */
  glue: Map<string, string[]>
  ttlSeconds: number
}

/** The delegation in an answer of a server of `zone`, if it is for `name` or a zone above it. */
export function referralIn(response: DnsResponse, zone: string, name: string): ZoneCut | undefined {
  if (response.rcode !== 'NOERROR' || response.isAuthoritative || response.answers.length > 0) {
    return undefined
  }
  const delegation = recordsOfType(response.authorities, 'NS')
  const apex = delegation[0]?.name
  if (apex === undefined || apex === zone || !isWithin(apex, zone) || !isWithin(name, apex)) {
    return undefined
  }
  const ofApex = delegation.filter((record) => record.name === apex)
  const parentNames = [...new Set(ofApex.map((record) => record.target))]
  return {
    apex,
    parentNames,
    isDelegated: true,
    // A zone is trusted only for the addresses of names below itself.
    glue: glueFor(
      parentNames.filter((server) => isWithin(server, zone)),
      response.additionals,
    ),
    ttlSeconds: Math.min(...ofApex.map((record) => record.ttlSeconds)),
  }
}

/** The addresses of those names among the records. */
export function glueFor(names: string[], records: DnsRecord[]): Map<string, string[]> {
  const addresses = recordsOfType(records, 'A', 'AAAA').filter(({ name }) => names.includes(name))
  const byName = Map.groupBy(addresses, ({ name }) => name)
  return new Map([...byName].map(([name, found]) => [name, found.map(({ address }) => address)]))
}

/**
 * Whether a server of `zone` answered, with records or with none. As in Unbound, it may do so without the AA flag, but not by
 * recursion, nor with a referral or the SOA record of another zone.
 */
export const isAnswerIn =
  (zone: string, { name, type }: Question) =>
  (response: DnsResponse): boolean => {
    const { answers, authorities, isAuthoritative, offersRecursion, rcode } = response
    if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') return false
    if (isAuthoritative || offersRecursion) return isAuthoritative
    const isOf = (record: DnsRecord) =>
      record.name === name && [type, 'CNAME'].includes(record.type)
    const soas = recordsOfType(authorities, 'SOA')
    return (
      answers.some(isOf) || soas.some((soa) => isWithin(soa.name, zone) && isWithin(name, soa.name))
    )
  }
