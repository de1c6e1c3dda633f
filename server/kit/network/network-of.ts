// The network that counts as one sender: an IPv4 address, or the /64 of an IPv6 address, the smallest network that
// providers assign.
import { isIPv6 } from 'node:net'

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
