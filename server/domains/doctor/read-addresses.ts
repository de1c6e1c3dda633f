// Where a host's addresses point: to us, to us through a proxy, or elsewhere. An address that is not ours but
// responds with our nonce is a working proxy; a known proxy that does not is a failing one.
import { isIP, isIPv6 } from 'node:net'
import { addressList } from '#kit/network/addresses.ts'
import type { Evidence, Probe } from '../evidence/evidence.ts'
import { noIpv6 } from '../evidence/fetch-at-address.ts'

export type AddressDestination =
  | { kind: 'platform' }
  /** Our addresses, some of which the platform host no longer has. */
  | { kind: 'stale'; stale: string[] }
  | { kind: 'some elsewhere'; elsewhere: string[] }
  /** IPv4 points to us, IPv6 does not. */
  | { kind: 'ipv6 elsewhere'; elsewhere: string[] }
  | { kind: 'relayed'; by: string; at: string[] }
  | { kind: 'proxy fails'; by: string; at: string[] }
  | { kind: 'elsewhere' }

/** The name of a proxy that does not identify itself. */
export const unknownProxy = 'a proxy'

type Place = 'platform' | 'stale' | 'relay' | 'proxy' | 'elsewhere'

export function readAddresses(all: readonly string[], evidence: Evidence): AddressDestination {
  // Beside a proxy that reaches us, what this machine cannot ask says nothing.
  const hasRelay = all.some((address) => placeOf(address, evidence) === 'relay')
  const addresses = hasRelay ? all.filter((address) => !isUnasked(address, evidence)) : all
  const at = (wanted: Place) => addresses.filter((address) => placeOf(address, evidence) === wanted)
  const [platform, stale, relays] = [at('platform'), at('stale'), at('relay')]
  const [proxies, elsewhere] = [at('proxy'), at('elsewhere')]
  if (platform.length === addresses.length) return { kind: 'platform' }
  if (elsewhere.length > 0) {
    if (elsewhere.length === addresses.length) return { kind: 'elsewhere' }
    const isIpv6Alone =
      elsewhere.every(isIPv6) && [...platform, ...relays].some((address) => !isIPv6(address))
    return { kind: isIpv6Alone ? 'ipv6 elsewhere' : 'some elsewhere', elsewhere }
  }
  if (stale.length > 0) return { kind: 'stale', stale }
  if (proxies.length > 0) {
    return { kind: 'proxy fails', by: proxyName(proxies, evidence), at: proxies }
  }
  return { kind: 'relayed', by: proxyName(relays, evidence), at: relays }
}

function isUnasked(address: string, evidence: Evidence): boolean {
  const outcome = probeOf(address, evidence)?.outcome
  return outcome?.kind === 'not asked' && outcome.reason === noIpv6
}

function placeOf(address: string, evidence: Evidence): Place {
  const { addresses, staleAddresses } = evidence.platform
  if (addresses.includes(address)) return 'platform'
  if (staleAddresses.includes(address)) return 'stale'
  const probe = probeOf(address, evidence)
  if (probe?.outcome.kind === 'platform') return 'relay'
  return nameOf(address, probe) === undefined ? 'elsewhere' : 'proxy'
}

function proxyName(addresses: readonly string[], evidence: Evidence): string {
  const names = addresses.map((address) => nameOf(address, probeOf(address, evidence)))
  return names.find((name) => name !== undefined) ?? unknownProxy
}

/** The name of a known proxy, by its address or its Server header. */
function nameOf(address: string, probe: Probe | undefined): string | undefined {
  if (isIP(address) !== 0 && cloudflare.has(address)) return 'Cloudflare'
  const { server } = { server: undefined, ...probe?.outcome }
  return signatures.find(([form]) => form.test(server ?? ''))?.[1]
}

function probeOf(address: string, evidence: Evidence): Probe | undefined {
  return evidence.probes.find((probe) => probe.address === address)
}

/** Published by Cloudflare as the addresses that its proxy answers at; changed once in ten years. */
const cloudflare = addressList([
  '103.21.244.0/22',
  '103.22.200.0/22',
  '103.31.4.0/22',
  '104.16.0.0/13',
  '104.24.0.0/14',
  '108.162.192.0/18',
  '131.0.72.0/22',
  '141.101.64.0/18',
  '162.158.0.0/15',
  '172.64.0.0/13',
  '173.245.48.0/20',
  '188.114.96.0/20',
  '190.93.240.0/20',
  '197.234.240.0/22',
  '198.41.128.0/17',
  '2400:cb00::/32',
  '2405:8100::/32',
  '2405:b500::/32',
  '2606:4700::/32',
  '2803:f800::/32',
  '2a06:98c0::/29',
  '2c0f:f248::/32',
])

/** The Server header of proxies that set it. */
const signatures: readonly [RegExp, string][] = [
  [/^cloudflare\b/i, 'Cloudflare'],
  [/^cloudfront\b/i, 'Amazon CloudFront'],
  [/^akamai/i, 'Akamai'],
  [/^bunnycdn/i, 'bunny.net'],
  [/^sucuri/i, 'Sucuri'],
  [/^ddos-guard/i, 'DDoS-Guard'],
  [/^imperva|^incapsula/i, 'Imperva'],
  [/^keycdn/i, 'KeyCDN'],
  [/^qrator/i, 'Qrator'],
]
