// The client's address behind trusted proxies, and lists of addresses and ranges.
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

/** The nearest address that is not a trusted proxy. X-Forwarded-For is used only if a trusted proxy sent it. */
export function clientAddress(request: IncomingMessage, trusted: AddressList): string {
  let address = unmapIpv4(request.socket.remoteAddress ?? '')
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',')
  while (isIP(address) && trusted.has(address)) {
    const next = unmapIpv4(forwarded.pop()?.trim() ?? '')
    if (!isIP(next)) break
    address = next
  }
  return address
}

/** Whether the request came through a proxy that is not trusted or does not name the client. */
export function isForwardedForStranger(request: IncomingMessage, trusted: AddressList): boolean {
  const { headers } = request
  if ((headers['x-forwarded-for'] ?? headers.forwarded ?? headers.via) === undefined) return false
  const proxy = unmapIpv4(request.socket.remoteAddress ?? '')
  return !trusted.has(proxy) || clientAddress(request, trusted) === proxy
}

/**
 * Whether a proxy reports that its client uses TLS. Clients can send this header themselves: use it only to avoid
 * redirects to the same address.
 */
export function isSecureAtProxy({ headers }: IncomingMessage): boolean {
  // The first entry is from the proxy nearest to the client.
  const [scheme] = String(headers['x-forwarded-proto'] ?? '').split(',', 1)
  return scheme?.trim().toLowerCase() === 'https'
}

/** `::ffff:192.0.2.1` is 192.0.2.1. */
export function unmapIpv4(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}
