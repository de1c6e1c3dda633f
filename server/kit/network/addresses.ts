// Addresses: lists of them and of ranges, with a port as the configuration has them (`192.0.2.1:5353`, `10.0.0.0/8:8080`,
// `[2001:db8::]/32:53`), and the address of a connection. For the address of the client see client-addresses.ts.
//
// When a user names a destination, the program calls only public addresses, unless the operator allows others: after IANA's
// registries of special-purpose addresses (RFC 6890), stricter where a form hides another address (mapped, NAT64, 6to4,
// Teredo). One sender is a network: an IPv4 address, or the /64 of an IPv6 address, the smallest network that providers
// assign.
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'

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

const form = /^(?:\[([\da-f:.]+)\]|([\d.]+|[\da-f:]*:[\da-f:.]*?))(\/\d{1,3})?(?::(\d{1,5}))?$/i

/**
 * Undefined for an invalid address, range or port. `range`: the slash and the bits, such as `/8`; empty for one address.
 */
export function readAddressPort(text: string) {
  const match = form.exec(text)
  const address = match?.[1] ?? match?.[2] ?? ''
  const range = match?.[3] ?? ''
  const port = match?.[4] === undefined ? undefined : Number(match[4])
  const family = isIP(address)
  if (family === 0 || Number(range.slice(1)) > (family === 4 ? 32 : 128)) return undefined
  return port === undefined || (port >= 1 && port <= 65_535) ? { address, range, port } : undefined
}

export type PortByAddress = ReturnType<typeof portByAddress>

/** Throws RangeError for an invalid entry. An entry without a port has `defaultPort`. */
export function portByAddress(entries: string[], defaultPort: number) {
  const lists = entries.map((entry): { list: AddressList; port: number } => {
    const read = readAddressPort(entry)
    if (!read) {
      throw new RangeError(
        `"${entry}" is no address or range with a port, such as 127.0.0.0/8:5353.`,
      )
    }
    return { list: addressList([read.address + read.range]), port: read.port ?? defaultPort }
  })
  return {
    /** The port of the first entry that contains the address. */
    portOf: (address: string) => lists.find(({ list }) => list.has(address))?.port,
  }
}

/** Equal for addresses of one network, however they are written. */
export function networkOf(address: string): string {
  // Of every IPv4 connection.
  if (!address.includes(':')) return address
  const [plain = ''] = address.toLowerCase().split('%')
  if (!isIPv6(plain)) return plain
  // The dotted end of an address is two of its groups.
  const [head = '', tail] = plain.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  while (groups.length + after.length < 8) groups.push('0')
  const network = [...groups, ...after].slice(0, 4).map((group) => Number.parseInt(group, 16))
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}

const specialIpv4 = addressList([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers; Alibaba's metadata
  '127.0.0.0/8', // loopback
  '168.63.129.16', // Azure's own services, on a public number
  '169.254.0.0/16', // link-local; metadata of the clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; Oracle's metadata
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
])

/** All that is given out to the public; mapped, NAT64, unique local and link-local lie outside. */
const globalIpv6 = new BlockList()
globalIpv6.addSubnet('2000::', 3, 'ipv6')

const specialIpv6 = addressList([
  '2001::/23', // protocol assignments: Teredo, benchmarks, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
])

/** True for an address that anybody on the internet may call. False for what is no address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !specialIpv4.has(address)
  if (family !== 6 || address.includes('%')) return false
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.has(address)
}

export type Judgement = 'public' | 'allowed' | 'refused'

/** Judges addresses; `allow` has addresses and ranges such as 10.0.0.0/8 that are allowed besides. */
export function judgeAddresses(allow: string[]): (address: string) => Judgement {
  const allowed = addressList(allow)
  return (address) => {
    if (isIP(address) !== 0 && !address.includes('%') && allowed.has(address)) return 'allowed'
    return isPublicAddress(address) ? 'public' : 'refused'
  }
}
