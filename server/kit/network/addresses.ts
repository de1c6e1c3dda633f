// Lists of addresses and ranges, and the address of a connection. For the address of the client see client-addresses.ts.
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

export interface AddressList {
  has(address: string): boolean
}

/** Addresses and ranges such as 10.0.0.0/8, ::1. Checked by the configuration's schema before. */
export function addressList(entries: string[]): AddressList {
  if (entries.length === 0) return { has: () => false }
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

/** The address at the other end of a request's connection: the client's, or the nearest proxy's. */
export function socketAddress({ socket }: IncomingMessage): string {
  return unmapIpv4(socket.remoteAddress ?? '')
}

/**
 * Whether a proxy reports that its client uses TLS. Clients can send this header themselves: use it only to avoid
 * redirects to the same address.
 */
export function isSecureAtProxy({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  // The first entry is from the proxy nearest to the client.
  const [scheme] = String(headers['x-forwarded-proto'] ?? '').split(',', 1)
  return scheme?.trim().toLowerCase() === 'https'
}

/** `::ffff:192.0.2.1` is 192.0.2.1. */
export function unmapIpv4(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}
