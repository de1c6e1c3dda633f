// One question to one server, and what came back, as plain data: what a check keeps, shows and can judge
// again later. Names are lower-case ASCII without the dot at the end; the root is the empty string.
export const recordTypes = [
  'A',
  'AAAA',
  'CAA',
  'CNAME',
  'DNSKEY',
  'DS',
  'HTTPS',
  'MX',
  'NS',
  'SOA',
  'TXT',
] as const
/** `TYPE123` for those that have no name here (RFC 3597, section 5). */
export type RecordType = (typeof recordTypes)[number] | `TYPE${number}`

export type Rcode =
  | 'NOERROR'
  | 'FORMERR'
  | 'SERVFAIL'
  | 'NXDOMAIN'
  | 'NOTIMP'
  | 'REFUSED'
  | `RCODE${number}`

interface RecordBase {
  name: string
  ttlSeconds: number
}

/** A resource record of class IN (RFC 1035, section 3.2.1). */
export type DnsRecord = RecordBase &
  (
    | { type: 'A' | 'AAAA'; address: string }
    | { type: 'CNAME' | 'NS'; target: string }
    | { type: 'CAA'; flags: number; tag: string; value: string }
    /** The strings of the record, in order; bytes beyond ASCII as `\DDD`. */
    | { type: 'TXT'; strings: string[] }
    | { type: 'MX'; preference: number; target: string }
    | {
        type: 'SOA'
        primary: string
        mailbox: string
        serial: number
        /** How long caches keep a negative answer: the smaller of this and the record's TTL (RFC 2308). */
        minimumSeconds: number
      }
    /** Everything else, its data in hexadecimal. */
    | { type: 'DNSKEY' | 'DS' | 'HTTPS' | `TYPE${number}`; data: string }
  )

export interface Question {
  name: string
  type: RecordType
}

/** What a server said. */
export interface DnsAnswer {
  rcode: Rcode
  /** AA, TC, RA and AD (RFC 1035, section 4.1.1; RFC 4035, section 3.2.3). */
  isAuthoritative: boolean
  isTruncated: boolean
  offersRecursion: boolean
  isAuthenticated: boolean
  answers: DnsRecord[]
  authorities: DnsRecord[]
  additionals: DnsRecord[]
  /** Extended DNS errors (RFC 8914). */
  extendedErrors: { code: number; text: string }[]
}

export interface ServerAddress {
  /** Of the name server; undefined for one that is known by its address alone. */
  name?: string
  address: string
  port: number
}

/**
 * Why there is no answer. `malformed`: something came that no DNS message could be, or not for us.
 * `cancelled`: it was not waited for, because another server had answered or the check was over.
 * `not-asked`: nothing was sent: the budget is spent, the address is not to be asked, or it is no name.
 */
export type ExchangeFailure =
  | 'timeout'
  | 'unreachable'
  | 'refused-connection'
  | 'malformed'
  | 'cancelled'
  | 'not-asked'

export interface Exchange {
  server: ServerAddress
  question: Question
  transport: 'udp' | 'tcp'
  /** RD and CD of the question. */
  wantsRecursion: boolean
  isCheckingDisabled: boolean
  /** Milliseconds since the epoch, and how long it took. */
  at: number
  ms: number
  answer?: DnsAnswer
  failure?: ExchangeFailure
}

export function recordsOfType<Type extends DnsRecord['type']>(
  records: DnsRecord[],
  ...types: Type[]
): (DnsRecord & { type: Type })[] {
  return records.filter((record): record is DnsRecord & { type: Type } =>
    types.some((type) => type === record.type),
  )
}

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

export function typeForNumber(number: number): RecordType {
  return names.get(number) ?? `TYPE${number}`
}

export function numberOfType(type: RecordType): number {
  if (type in numbers) return numbers[type as keyof typeof numbers]
  return Number(type.slice('TYPE'.length))
}

/** `code` with the upper bits of EDNS (RFC 6891, section 6.1.3). */
export function rcodeForNumber(code: number): Rcode {
  return rcodes[code] ?? `RCODE${code}`
}
