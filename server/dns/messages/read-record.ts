// Parses one resource record. Its declared length must be exact; data of unknown types is kept in hexadecimal
// (RFC 3597).
import { escapeBytes, readName } from './dns-name.ts'
import { type DnsRecord, typeForNumber } from './exchange.ts'

type Frame = NonNullable<ReturnType<typeof readFrame>>

/** The header of the record at `offset`; undefined when the record exceeds the message. */
export function readFrame(bytes: Buffer, offset: number) {
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

/** Undefined when the data is invalid for the type. */
export function readRecord(bytes: Buffer, frame: Frame): DnsRecord | undefined {
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
  const groups = Array.from({ length: 8 }, (_, index) => data.readUInt16BE(index * 2))
  let run = { start: 0, length: 0 }
  for (let start = 0; start < 8; start++) {
    let length = 0
    while (groups[start + length] === 0) length++
    if (length > run.length) run = { start, length }
  }
  const hex = groups.map((group) => group.toString(16))
  if (run.length < 2) return hex.join(':')
  const before = hex.slice(0, run.start).join(':')
  return `${before}::${hex.slice(run.start + run.length).join(':')}`
}
