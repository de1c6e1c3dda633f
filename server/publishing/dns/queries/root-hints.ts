// The root servers of the internet (https://www.internic.net/domain/named.root). They change once in years,
// one at a time; a check needs one of them.
import type { ServerAddress } from '../messages/exchange.ts'

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
