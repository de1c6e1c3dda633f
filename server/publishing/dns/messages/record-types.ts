// The numbers of types and answer codes, both ways (IANA's registry of DNS parameters).
import { type Rcode, type RecordType, recordTypes } from './exchange.ts'

const numbers: Record<(typeof recordTypes)[number], number> = {
  A: 1,
  AAAA: 28,
  CAA: 257,
  CNAME: 5,
  DNSKEY: 48,
  DS: 43,
  HTTPS: 65,
  MX: 15,
  NS: 2,
  SOA: 6,
  TXT: 16,
}
const names = new Map<number, RecordType>(recordTypes.map((type) => [numbers[type], type]))
const rcodes: Rcode[] = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED']

export function typeOf(number: number): RecordType {
  return names.get(number) ?? `TYPE${number}`
}

export function numberOf(type: RecordType): number {
  if (type in numbers) return numbers[type as keyof typeof numbers]
  return Number(type.slice('TYPE'.length))
}

/** `code` with the upper bits of EDNS (RFC 6891, section 6.1.3). */
export function rcodeOf(code: number): Rcode {
  return rcodes[code] ?? `RCODE${code}`
}
