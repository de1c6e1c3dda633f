// Proxies that stand in front of many sites, known by their published addresses or by how they sign.
import { isIP } from 'node:net'
import { addressList } from '../../../platform/network/addresses.ts'

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

/** The field `Server` of proxies that write it themselves. */
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

/** The name of the proxy that answers at the address, if it is a known one. */
export function proxyAt(address: string): string | undefined {
  return isIP(address) !== 0 && cloudflare.has(address) ? 'Cloudflare' : undefined
}

/** The name of the proxy that answers with this field `Server`, if it is a known one. */
export function proxyByHeader(server: string): string | undefined {
  return signatures.find(([form]) => form.test(server))?.[1]
}
