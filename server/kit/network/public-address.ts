// Which addresses the program may call when a user names the destination: only public ones, unless
// the operator allows others. After IANA's registries of special-purpose addresses (RFC 6890), stricter
// where a form hides another address (mapped, NAT64, 6to4, Teredo).
import { BlockList, isIP } from 'node:net'
import { addressList } from './addresses.ts'

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
