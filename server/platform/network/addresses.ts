// Who is asking: the client's address behind trusted proxies, and lists of addresses and ranges.
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

export interface AddressList {
  has(address: string): boolean
}

/** Addresses and ranges such as 10.0.0.0/8, ::1. Checked by the configuration's schema before. */
export function addressList(entries: string[]): AddressList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return { has: (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') }
}

export const loopback = addressList(['127.0.0.0/8', '::1'])

/** The nearest address that is not a trusted proxy. X-Forwarded-For is believed from trusted proxies alone. */
export function clientAddress(request: IncomingMessage, trusted: AddressList): string {
  let address = plain(request.socket.remoteAddress ?? '')
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',')
  while (isIP(address) && trusted.has(address)) {
    const next = plain(forwarded.pop()?.trim() ?? '')
    if (!isIP(next)) break
    address = next
  }
  return address
}

/** True when a proxy stands between us and the client, and we do not know it or it does not say for whom. */
export function isForwardedForStranger(request: IncomingMessage, trusted: AddressList): boolean {
  const { headers } = request
  if ((headers['x-forwarded-for'] ?? headers.forwarded ?? headers.via) === undefined) return false
  const proxy = plain(request.socket.remoteAddress ?? '')
  return !trusted.has(proxy) || clientAddress(request, trusted) === proxy
}

/**
 * Whether a proxy in front of us says that its client speaks TLS with it. Anybody can say so: good for not
 * sending somebody to where he says he is, and for nothing else.
 */
export function isSecureAtProxy({ headers }: IncomingMessage): boolean {
  // The first is what the client's own proxy saw.
  const [scheme] = String(headers['x-forwarded-proto'] ?? '').split(',', 1)
  return scheme?.trim().toLowerCase() === 'https'
}

/** IPv4 that came over an IPv6 socket is IPv4. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}
