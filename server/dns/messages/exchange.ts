// One query to one server and its response, as plain data that is stored with a check. Names are lower-case ASCII
// without the trailing dot; the root is the empty string.
export const typeNumbers = {
  A: 1,
  AAAA: 28,
  CAA: 257,
  CNAME: 5,
  DNAME: 39,
  DNSKEY: 48,
  DS: 43,
  HTTPS: 65,
  MX: 15,
  NS: 2,
  SOA: 6,
  TXT: 16,
}
export type KnownType = keyof typeof typeNumbers
/** `TYPE123` for types without a name here (RFC 3597, section 5). */
export type RecordType = KnownType | `TYPE${number}`

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
    /** `dname`: that from which a server made the record, which is none of the name itself (RFC 6672). */
    | { type: 'CNAME'; target: string; dname?: { name: string; target: string } }
    | { type: 'DNAME' | 'NS'; target: string }
    | { type: 'CAA'; flags: number; tag: string; value: string }
    /** The strings of the record, in order; bytes beyond ASCII as `\DDD`. */
    | { type: 'TXT'; strings: string[] }
    | { type: 'MX'; preference: number; target: string }
    | {
        type: 'SOA'
        primary: string
        mailbox: string
        serial: number
        /** Caches keep a negative answer for the smaller of this and the record's TTL (RFC 2308). */
        minimumSeconds: number
      }
    /** All other types; data in hexadecimal. */
    | { type: 'DNSKEY' | 'DS' | 'HTTPS' | `TYPE${number}`; data: string }
  )

export interface Question {
  name: string
  type: RecordType
}

export interface DnsResponse {
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
  /** Of the name server; undefined if only its address is known. */
  name?: string
  address: string
  port: number
}

/**
 * Why there is no answer. `malformed`: the response was not a DNS message, or not for this query. `cancelled`: another
 * server answered first, or the check ended. `not-asked`: nothing was sent, because the limit was reached, the address
 * must not be queried, or the name is invalid.
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
  /** The query had no EDNS. */
  withoutEdns?: true
  /** Milliseconds since the epoch, and the duration. */
  at: number
  ms: number
  response?: DnsResponse
  failure?: ExchangeFailure
}

export function recordsOfType<Type extends DnsRecord['type']>(
  records: DnsRecord[],
  ...types: Type[]
): (DnsRecord & { type: Type })[] {
  const all: (DnsRecord & { type: Type })[] = []
  for (const record of records) {
    if ((types as string[]).includes(record.type)) all.push(record as DnsRecord & { type: Type })
  }
  return all
}

/** The data of a record as text; a TXT record as one string. */
export function recordValue(record: DnsRecord): string {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return record.address
    case 'CNAME':
    case 'DNAME':
    case 'NS':
      return record.target
    case 'MX':
      return `${record.preference} ${record.target}`
    case 'TXT':
      return record.strings.join('')
    case 'CAA':
      return `${record.flags} ${record.tag} "${record.value}"`
    case 'SOA':
      return record.primary
    default:
      return record.data
  }
}
