// Which servers may be queried. Addresses of name servers come from untrusted zones: public ones are queried on port
// 53, others only if the operator allows them (labs, tests, private networks).

import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { createFairSemaphore, type FairSemaphore } from '../../../platform/fair-semaphore.ts'
import { portByAddress } from '../../../platform/network/address-port.ts'
import { isPublicAddress } from '../../../platform/network/public-address.ts'
import type { ServerAddress } from '../messages/exchange.ts'
import type { ZoneCache } from './zone-cache.ts'

export interface DnsNetworkOptions {
  /** Where the tree begins; the root servers of the internet unless told. */
  roots?: ServerAddress[]
  /** Recursive resolvers that find zones instead of the roots, where these cannot be reached. */
  forwarders?: ServerAddress[]
  /** The recursive resolver whose view is shown, and that finds addresses of name servers. It validates. */
  resolver?: ServerAddress
  /**
   * Addresses and ranges to ask besides public ones, each with a port if it is not 53: `10.0.0.0/8`,
   * `127.0.0.0/8:5353`, `[fd00::]/8:5353`. The first that fits gives the port of a name server found there.
   */
  allow?: string[]
  /** Whether this machine reaches IPv6; looked up unless told. */
  hasIpv6?: boolean
  /** Keeps the upper part of the tree between checks. */
  cache?: ZoneCache
  /** Sockets that are open at once, of all checks together. */
  maxSockets?: number
  /** Checks that run at once; the others wait for their turn, and their time begins with it. */
  maxChecks?: number
}

export interface DnsNetwork {
  roots: ServerAddress[]
  forwarders: ServerAddress[]
  resolver: ServerAddress | undefined
  hasIpv6: boolean
  cache: ZoneCache | undefined
  /** Taken for each datagram and connection; the owner is the inquiry. */
  sockets: FairSemaphore
  /** Taken for a whole check, by whoever runs it: so that a crowd neither shares its time nor floods a server. */
  checks: FairSemaphore
  /** The port to ask a name server at; undefined for an address that must not be asked. */
  portOf(address: string): number | undefined
  /** True for what the operator has configured, and for what portOf gives. */
  mayAsk(server: ServerAddress): boolean
}

/** Throws RangeError for an entry of `allow` that is no address, range or port. */
export function createDnsNetwork(options: DnsNetworkOptions = {}): DnsNetwork {
  const allowed = portByAddress(options.allow ?? [], 53)
  const { roots = rootHints, forwarders = [], resolver } = options
  const configured = new Set([...roots, ...forwarders, ...(resolver ? [resolver] : [])].map(keyOf))
  const portOf = (address: string) => {
    if (isIP(address) === 0 || address.includes('%')) return undefined
    return allowed.portOf(address) ?? (isPublicAddress(address) ? 53 : undefined)
  }
  return {
    roots,
    forwarders,
    resolver,
    hasIpv6: options.hasIpv6 ?? hasGlobalIpv6(),
    cache: options.cache,
    sockets: createFairSemaphore({ maxPermits: options.maxSockets ?? 512 }),
    checks: createFairSemaphore({ maxPermits: options.maxChecks ?? 32 }),
    portOf,
    mayAsk: (server) => configured.has(keyOf(server)) || portOf(server.address) === server.port,
  }
}

/** One server, whatever it is called. */
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

export const rootHints: ServerAddress[] = letters.flatMap(([letter, ipv4, ipv6]) =>
  [ipv4, ipv6].map((address) => ({ name: `${letter}.root-servers.net`, address, port: 53 })),
)
