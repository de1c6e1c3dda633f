// DNS messages as bytes. Queries have one name, one type, class IN, and EDNS(0) with a buffer size that avoids
// fragmentation (RFC 6891). Answers are untrusted: parsing gives a typed answer or undefined, never throws, always
// terminates, and reads at most 500 records in 64 KiB (RFC 1035, section 4). Unlike dns-packet it keeps every label
// distinct (dots and bytes beyond ASCII are escaped) and never reads a record beyond its length.
import { escapeBytes, readName, writeName } from './dns-name.ts'
import {
  type DnsRecord,
  type DnsResponse,
  type ExchangeFailure,
  type KnownType,
  type Question,
  type Rcode,
  type RecordType,
  typeNumbers,
} from './exchange.ts'

const headerBytes = 12
const maxBytes = 65_535
const maxRecords = 500
const optType = 41
const extendedErrorOption = 15
const internetClass = 1
const rcodes: Rcode[] = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED']
export const typesByNumber: ReadonlyMap<number, KnownType> = new Map(
  Object.entries(typeNumbers).map(([type, number]) => [number, type as KnownType]),
)

/** Undefined for an invalid message. A truncated message may end anywhere: complete records are kept. */
export function readMessage(bytes: Buffer) {
  if (bytes.length < headerBytes || bytes.length > maxBytes) return undefined
  const flags = bytes.readUInt16BE(2)
  const questionCount = bytes.readUInt16BE(4)
  const counts = [bytes.readUInt16BE(6), bytes.readUInt16BE(8), bytes.readUInt16BE(10)] as const
  if (questionCount > 1 || counts[0] + counts[1] + counts[2] > maxRecords) return undefined
  let questionEnd = headerBytes
  if (questionCount === 1) {
    const name = readName(bytes, headerBytes)
    if (!name || name.end + 4 > bytes.length) return undefined
    questionEnd = name.end + 4
  }
  const isTruncated = (flags & 0x0200) !== 0
  const sections = readSections(bytes, questionEnd, counts)
  if (!sections.isWhole && !isTruncated) return undefined
  const [answers, authorities, additionals] = sections.records
  const code = ((sections.edns?.upperRcode ?? 0) << 4) | (flags & 0xf)
  return {
    id: bytes.readUInt16BE(0),
    isResponse: (flags & 0x8000) !== 0,
    opcode: (flags >> 11) & 0xf,
    /** The question unchanged, including case; empty when there is none. */
    questionBytes: bytes.subarray(headerBytes, questionEnd),
    hasEdns: sections.edns !== undefined,
    response: {
      // With the upper bits of EDNS (RFC 6891, section 6.1.3).
      rcode: rcodes[code] ?? `RCODE${code}`,
      isAuthoritative: (flags & 0x0400) !== 0,
      isTruncated,
      offersRecursion: (flags & 0x0080) !== 0,
      isAuthenticated: (flags & 0x0020) !== 0,
      answers,
      authorities,
      additionals,
      extendedErrors: sections.edns?.extendedErrors ?? [],
    } satisfies DnsResponse,
  }
}

interface Sections {
  isWhole: boolean
  records: [DnsRecord[], DnsRecord[], DnsRecord[]]
  edns: { upperRcode: number; extendedErrors: DnsResponse['extendedErrors'] } | undefined
}

/** Reads until a record exceeds the message, or its data is invalid for its type. */
function readSections(bytes: Buffer, start: number, counts: readonly number[]): Sections {
  const sections: Sections = { isWhole: false, records: [[], [], []], edns: undefined }
  let at = start
  for (const [index, section] of sections.records.entries()) {
    for (let left = counts[index] ?? 0; left > 0; left--) {
      const isRoot = bytes[at] === 0
      const owner = isRoot ? { name: '', end: at + 1 } : readName(bytes, at)
      if (!owner || owner.end + 10 > bytes.length) return sections
      const typeNumber = bytes.readUInt16BE(owner.end)
      const ttl = bytes.readUInt32BE(owner.end + 4)
      const data = owner.end + 10
      at = data + bytes.readUInt16BE(owner.end + 8)
      if (at > bytes.length) return sections
      if (typeNumber === optType) {
        // More than one, or one with a name, is a format error (RFC 6891, section 6.1.1).
        if (sections.edns || owner.name !== '' || index !== 2) return sections
        const extendedErrors = at > data ? readExtendedErrors(bytes.subarray(data, at)) : []
        if (!extendedErrors) return sections
        sections.edns = { upperRcode: ttl >>> 24, extendedErrors }
        continue
      }
      if (bytes.readUInt16BE(owner.end + 2) !== internetClass) continue
      // A time with the highest bit set counts as zero (RFC 2181, section 8).
      const base = { name: owner.name, ttlSeconds: ttl > 0x7fff_ffff ? 0 : ttl }
      const type = typesByNumber.get(typeNumber) ?? (`TYPE${typeNumber}` as const)
      const record = readRecord(bytes, base, type, data, at)
      if (!record) return sections
      section.push(record)
    }
  }
  sections.isWhole = true
  return sections
}

/** RFC 8914, section 2. */
function readExtendedErrors(options: Buffer): DnsResponse['extendedErrors'] | undefined {
  const errors: DnsResponse['extendedErrors'] = []
  for (let at = 0; at < options.length; ) {
    if (at + 4 > options.length) return undefined
    const end = at + 4 + options.readUInt16BE(at + 2)
    if (end > options.length) return undefined
    if (options.readUInt16BE(at) === extendedErrorOption) {
      if (at + 6 > end) return undefined
      const text = options.toString('utf8', at + 6, end).replace(/\0+$/, '')
      errors.push({ code: options.readUInt16BE(at + 4), text })
    }
    at = end
  }
  return errors
}

export type Reply = { response: DnsResponse } | { failure: ExchangeFailure }

/** Undefined when the bytes are not the answer to this query. */
export function matchReply(query: Buffer, bytes: Buffer): DnsResponse | undefined {
  const message = readMessage(bytes)
  if (!message?.isResponse || message.opcode !== 0) return undefined
  if (message.id !== query.readUInt16BE(0)) return undefined
  const { questionBytes, response } = message
  const question = query.subarray(headerBytes, headerBytes + questionBytes.length)
  // The name ends with the root label, so no longer name begins with the same bytes.
  if (questionBytes.length > 0) return questionBytes.equals(question) ? response : undefined
  // Servers that refuse a query before reading it omit the question.
  const isError = response.rcode !== 'NOERROR' && response.rcode !== 'NXDOMAIN'
  return isError ? response : undefined
}

export function failureOf(error: unknown): ExchangeFailure {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' ? 'refused-connection' : 'unreachable'
}

/**
 * The record whose data is from `start` to `end`; undefined when that is invalid for the type. The declared length must be
 * exact; data of unknown types is kept in hexadecimal (RFC 3597).
 */
function readRecord(
  bytes: Buffer,
  base: Pick<DnsRecord, 'name' | 'ttlSeconds'>,
  type: RecordType,
  start: number,
  end: number,
): DnsRecord | undefined {
  const data = bytes.subarray(start, end)
  switch (type) {
    case 'A':
      return data.length === 4 ? { ...base, type, address: data.join('.') } : undefined
    case 'AAAA':
      return data.length === 16 ? { ...base, type, address: ipv6Text(data) } : undefined
    case 'CNAME':
    case 'DNAME':
    case 'NS': {
      const target = nameUpTo(bytes, start, end)
      return target === undefined ? undefined : { ...base, type, target }
    }
    case 'MX': {
      const target = data.length < 3 ? undefined : nameUpTo(bytes, start + 2, end)
      if (target === undefined) return undefined
      return { ...base, type, preference: data.readUInt16BE(0), target }
    }
    case 'SOA': {
      const primary = readName(bytes, start)
      const mailbox = primary && readName(bytes, primary.end)
      if (!mailbox || mailbox.end + 20 !== end) return undefined
      const minimum = bytes.readUInt32BE(mailbox.end + 16)
      const minimumSeconds = minimum > 0x7fff_ffff ? 0 : minimum
      const serial = bytes.readUInt32BE(mailbox.end)
      const names = { primary: primary.name, mailbox: mailbox.name }
      return { ...base, type, ...names, serial, minimumSeconds }
    }
    case 'TXT': {
      const strings = readStrings(data)
      return strings && { ...base, type, strings }
    }
    case 'CAA': {
      const tagEnd = 2 + (data[1] ?? 0)
      const tag = data.toString('latin1', 2, tagEnd)
      // RFC 8659, section 4.1: a tag is at least one letter or digit.
      if (tagEnd > data.length || !/^[a-z0-9]+$/i.test(tag)) return undefined
      return { ...base, type, flags: data[0] ?? 0, tag, value: escapeBytes(data.subarray(tagEnd)) }
    }
    default:
      return { ...base, type, data: data.toString('hex') }
  }
}

/** The name that begins at `start` and ends exactly at `end`. */
function nameUpTo(bytes: Buffer, start: number, end: number): string | undefined {
  const read = readName(bytes, start)
  return read?.end === end ? read.name : undefined
}

function readStrings(data: Buffer): string[] | undefined {
  const strings: string[] = []
  for (let at = 0; at < data.length; ) {
    const end = at + 1 + (data[at] ?? 0)
    if (end > data.length) return undefined
    strings.push(escapeBytes(data.subarray(at + 1, end)))
    at = end
  }
  return strings
}

/** RFC 5952: no zeros in front, the longest run of two or more zero groups left out. */
export function ipv6Text(data: Buffer): string {
  const groups = data.toString('hex').match(/.{4}/g) ?? []
  // URL writes it so.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

const udpBufferBytes = 1232

const optBytes = 11

/** With EDNS and without an id. Undefined when the name is invalid. */
export function writeQuery(
  { name, type }: Question,
  { isCheckingDisabled, wantsRecursion }: { wantsRecursion: boolean; isCheckingDisabled: boolean },
): Buffer | undefined {
  const question = writeName(name)
  if (!question) return undefined
  const end = headerBytes + question.length
  const query = Buffer.alloc(end + 4 + optBytes)
  // RD, CD, and AD with RD, which asks whether the answer was validated (RFC 6840, section 5.7).
  query.writeUInt16BE((wantsRecursion ? 0x0120 : 0) | (isCheckingDisabled ? 0x0010 : 0), 2)
  query.writeUInt16BE(1, 4)
  query.writeUInt16BE(1, 10)
  query.set(question, headerBytes)
  query.writeUInt16BE(typeNumbers[type as KnownType] ?? Number(type.slice('TYPE'.length)), end)
  query.writeUInt16BE(internetClass, end + 2)
  query.writeUInt16BE(optType, end + 5)
  query.writeUInt16BE(udpBufferBytes, end + 7)
  return query
}

/** A copy to send. `hasEdns`: false for old servers that refuse EDNS. */
export function withId(query: Buffer, id: number, hasEdns: boolean): Buffer {
  const copy = Buffer.from(hasEdns ? query : query.subarray(0, -optBytes))
  copy.writeUInt16BE(id)
  if (!hasEdns) copy.writeUInt16BE(0, 10)
  return copy
}
