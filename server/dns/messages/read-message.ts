// DNS messages as bytes. Queries have one name, one type, class IN, and EDNS(0) with a buffer size that avoids
// fragmentation (RFC 6891). Answers are untrusted: parsing gives a typed answer or undefined, never throws, always
// terminates, and reads at most 500 records in 64 KiB (RFC 1035, section 4). Unlike dns-packet it keeps every label
// distinct (dots and bytes beyond ASCII are escaped) and never reads a record beyond its length.
import { escapeBytes, readName, writeName } from './dns-name.ts'
import {
  type DnsAnswer,
  type DnsRecord,
  type ExchangeFailure,
  numberOfType,
  type Question,
  rcodeForNumber,
  typeForNumber,
} from './exchange.ts'

const headerBytes = 12
const maxBytes = 65_535
const maxRecords = 500
const optType = 41
const extendedErrorOption = 15
const internetClass = 1

/** Undefined for an invalid message. A truncated message may end anywhere: complete records are kept. */
export function readMessage(bytes: Buffer) {
  if (bytes.length < headerBytes || bytes.length > maxBytes) return undefined
  const flags = bytes.readUInt16BE(2)
  const questionCount = bytes.readUInt16BE(4)
  const counts = [bytes.readUInt16BE(6), bytes.readUInt16BE(8), bytes.readUInt16BE(10)]
  if (questionCount > 1 || counts.reduce((sum, count) => sum + count, 0) > maxRecords) {
    return undefined
  }
  const questionEnd = questionCount === 0 ? headerBytes : endOfQuestion(bytes)
  if (questionEnd === undefined) return undefined

  const isTruncated = (flags & 0x0200) !== 0
  const sections = readSections(bytes, questionEnd, counts)
  if (!sections.isWhole && !isTruncated) return undefined
  const [answers, authorities, additionals] = sections.records
  return {
    id: bytes.readUInt16BE(0),
    isResponse: (flags & 0x8000) !== 0,
    opcode: (flags >> 11) & 0xf,
    /** The question unchanged, including case; empty when there is none. */
    questionBytes: bytes.subarray(headerBytes, questionEnd),
    hasEdns: sections.edns !== undefined,
    answer: {
      rcode: rcodeForNumber(((sections.edns?.upperRcode ?? 0) << 4) | (flags & 0xf)),
      isAuthoritative: (flags & 0x0400) !== 0,
      isTruncated,
      offersRecursion: (flags & 0x0080) !== 0,
      isAuthenticated: (flags & 0x0020) !== 0,
      answers,
      authorities,
      additionals,
      extendedErrors: sections.edns?.extendedErrors ?? [],
    } satisfies DnsAnswer,
  }
}

interface Sections {
  isWhole: boolean
  records: [DnsRecord[], DnsRecord[], DnsRecord[]]
  edns: { upperRcode: number; extendedErrors: DnsAnswer['extendedErrors'] } | undefined
}

function readSections(bytes: Buffer, start: number, counts: number[]): Sections {
  const sections: Sections = { isWhole: false, records: [[], [], []], edns: undefined }
  let at = start
  for (const [index, section] of sections.records.entries()) {
    for (let left = counts[index] ?? 0; left > 0; left--) {
      const frame = readFrame(bytes, at)
      if (!frame) return sections
      at = frame.end
      if (frame.typeNumber === optType) {
        // More than one, or one with a name, is a format error (RFC 6891, section 6.1.1).
        if (sections.edns || frame.name !== '' || index !== 2) return sections
        const options = readExtendedErrors(bytes.subarray(frame.start, frame.end))
        if (!options) return sections
        sections.edns = { upperRcode: frame.ttl >>> 24, extendedErrors: options }
        continue
      }
      if (frame.classNumber !== internetClass) continue
      const record = readRecord(bytes, frame)
      if (!record) return sections
      section.push(record)
    }
  }
  sections.isWhole = true
  return sections
}

function endOfQuestion(bytes: Buffer): number | undefined {
  const name = readName(bytes, headerBytes)
  return name && name.end + 4 <= bytes.length ? name.end + 4 : undefined
}

/** RFC 8914, section 2. */
function readExtendedErrors(options: Buffer): DnsAnswer['extendedErrors'] | undefined {
  const errors: DnsAnswer['extendedErrors'] = []
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

export type Reply = { answer: DnsAnswer } | { failure: ExchangeFailure }

/** Undefined when the bytes are not the answer to this query. */
export function matchReply(query: Buffer, bytes: Buffer): DnsAnswer | undefined {
  const message = readMessage(bytes)
  if (!message?.isResponse || message.opcode !== 0) return undefined
  if (message.id !== query.readUInt16BE(0)) return undefined
  const { questionBytes, answer } = message
  const asked = query.subarray(headerBytes, headerBytes + questionBytes.length)
  // The name ends with the root label, so no longer name begins with the same bytes.
  if (questionBytes.length > 0) return questionBytes.equals(asked) ? answer : undefined
  // Servers that refuse a query before reading it omit the question.
  const isError = answer.rcode !== 'NOERROR' && answer.rcode !== 'NXDOMAIN'
  return isError ? answer : undefined
}

export function failureOf(error: unknown): ExchangeFailure {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' ? 'refused-connection' : 'unreachable'
}

type Frame = NonNullable<ReturnType<typeof readFrame>>

/** The header of the record at `offset`; undefined when the record exceeds the message. */
function readFrame(bytes: Buffer, offset: number) {
  const owner = readName(bytes, offset)
  if (!owner || owner.end + 10 > bytes.length) return undefined
  const start = owner.end + 10
  const end = start + bytes.readUInt16BE(owner.end + 8)
  if (end > bytes.length) return undefined
  return {
    name: owner.name,
    typeNumber: bytes.readUInt16BE(owner.end),
    classNumber: bytes.readUInt16BE(owner.end + 2),
    /** Unchanged; not a time in OPT records. */
    ttl: bytes.readUInt32BE(owner.end + 4),
    /** The positions of the data in the message. */
    start,
    end,
  }
}

/**
 * One resource record; undefined when its data is invalid for the type. The declared length must be exact; data of
 * unknown types is kept in hexadecimal (RFC 3597).
 */
function readRecord(bytes: Buffer, frame: Frame): DnsRecord | undefined {
  // A time with the highest bit set counts as zero (RFC 2181, section 8).
  const base = { name: frame.name, ttlSeconds: frame.ttl > 0x7fff_ffff ? 0 : frame.ttl }
  const data = bytes.subarray(frame.start, frame.end)
  const type = typeForNumber(frame.typeNumber)
  switch (type) {
    case 'A':
      return data.length === 4 ? { ...base, type, address: data.join('.') } : undefined
    case 'AAAA':
      return data.length === 16 ? { ...base, type, address: ipv6Text(data) } : undefined
    case 'CNAME':
    case 'NS': {
      const target = nameUpTo(bytes, frame.start, frame.end)
      return target === undefined ? undefined : { ...base, type, target }
    }
    case 'MX': {
      const target = data.length < 3 ? undefined : nameUpTo(bytes, frame.start + 2, frame.end)
      if (target === undefined) return undefined
      return { ...base, type, preference: data.readUInt16BE(0), target }
    }
    case 'SOA':
      return readSoa(bytes, frame, base)
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

function readSoa(bytes: Buffer, frame: Frame, base: { name: string; ttlSeconds: number }) {
  const primary = readName(bytes, frame.start)
  const mailbox = primary && readName(bytes, primary.end)
  if (!mailbox || mailbox.end + 20 !== frame.end) return undefined
  const serial = bytes.readUInt32BE(mailbox.end)
  const minimumSeconds = bytes.readUInt32BE(mailbox.end + 16)
  return {
    ...base,
    type: 'SOA' as const,
    primary: primary.name,
    mailbox: mailbox.name,
    serial,
    minimumSeconds: minimumSeconds > 0x7fff_ffff ? 0 : minimumSeconds,
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
function ipv6Text(data: Buffer): string {
  const groups = data.toString('hex').match(/.{4}/g) ?? []
  // URL writes it so.
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

const udpBufferBytes = 1232

interface QueryOptions {
  id?: number
  wantsRecursion: boolean
  isCheckingDisabled: boolean
  /** False for old servers that refuse EDNS. */
  hasEdns?: boolean
}

/** Undefined when the name is invalid. */
export function writeQuery(
  question: Question,
  { hasEdns = true, id = 0, isCheckingDisabled, wantsRecursion }: QueryOptions,
): Buffer | undefined {
  const name = writeName(question.name)
  if (!name) return undefined
  // RD, CD, and AD with RD, which asks whether the answer was validated (RFC 6840, section 5.7).
  const flags = (wantsRecursion ? 0x0120 : 0) | (isCheckingDisabled ? 0x0010 : 0)
  const header = words(id, flags, 1, 0, 0, hasEdns ? 1 : 0)
  const tail = words(numberOfType(question.type), internetClass)
  const opt = [Buffer.of(0), words(optType, udpBufferBytes, 0, 0, 0)]
  return Buffer.concat([header, name, tail, ...(hasEdns ? opt : [])])
}

/** Numbers of 16 bits. */
export function words(...numbers: number[]): Buffer {
  return Buffer.from(numbers.flatMap((number) => [number >> 8, number & 0xff]))
}
