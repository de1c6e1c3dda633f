// DNS messages as a server reads and writes them (RFC 1035, section 4). Queries are read by the program's own reader, which
// never throws. A name of the question is written as a pointer to it, so that its case is kept.
import { addressBytes } from '#acme/x509/extensions.ts'
import { readName, writeName } from '#dns/messages/dns-name.ts'
import {
  type DnsRecord,
  type KnownType,
  type RecordType,
  typeNumbers,
} from '#dns/messages/exchange.ts'
import { readMessage, typesByNumber } from '#dns/messages/read-message.ts'
import type { LabRcode } from './answer-query.ts'
import { encodeSvcb, textBytes, twoBytes, type ZoneRecord } from './zone.ts'

export interface Query {
  id: number
  transport: 'udp' | 'tcp'
  /** As it was sent, for the answer. */
  questionBytes: Buffer
  /** In lower case. */
  name: string
  type: RecordType
  wantsRecursion: boolean
  isCheckingDisabled: boolean
  wantsDnssec: boolean
  /** Undefined without EDNS. */
  edns: { udpPayloadBytes: number } | undefined
}

export type LabRecord = ZoneRecord | DnsRecord

export interface Reply {
  rcode: LabRcode
  isAuthoritative?: boolean
  offersRecursion?: boolean
  answers?: LabRecord[]
  authorities?: LabRecord[]
  additionals?: LabRecord[]
  /** Sent to clients with EDNS (RFC 8914). */
  extendedError?: { code: number; text: string }
}

const rcodes: Record<LabRcode, number> = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
}
const headerBytes = 12
const isResponse = 0x8000
const maxUdpBytes = 1232
const internetClass = 1
const optType = 41
const dnssecOk = 0x80
const extendedErrorOption = 15
/** AXFR and IXFR. */
const transferTypes = [251, 252]

/** A query, or the error to reply with; undefined for a message that gets no reply. */
export function readQuery(
  bytes: Buffer,
  transport: 'udp' | 'tcp',
): { query: Query } | { error: Buffer } | undefined {
  if (bytes.length < headerBytes || (bytes.readUInt16BE(2) & isResponse) !== 0) return undefined
  const flags = bytes.readUInt16BE(2)
  if (((flags >> 11) & 15) !== 0) return { error: bareError(bytes, 'NOTIMP') }
  const { hasEdns = false, questionBytes } = readMessage(bytes) ?? {}
  const question = questionBytes?.length ? readName(questionBytes, 0) : undefined
  if (!questionBytes || !question) return { error: bareError(bytes, 'FORMERR') }
  if (questionBytes.readUInt16BE(question.end + 2) !== internetClass)
    return { error: bareError(bytes, 'REFUSED') }
  // OPT follows the question: a query has no other records.
  const opt = hasEdns ? bytes.subarray(headerBytes + questionBytes.length) : undefined
  const typeNumber = questionBytes.readUInt16BE(question.end)
  const query: Query = {
    id: bytes.readUInt16BE(0),
    transport,
    questionBytes,
    name: question.name,
    type: typesByNumber.get(typeNumber) ?? `TYPE${typeNumber}`,
    wantsRecursion: (flags & 0x0100) !== 0,
    isCheckingDisabled: (flags & 0x0010) !== 0,
    wantsDnssec: ((opt?.[7] ?? 0) & dnssecOk) !== 0,
    edns: opt && { udpPayloadBytes: opt.readUInt16BE(3) },
  }
  const refused =
    (opt?.[6] ?? 0) > 0 ? 'BADVERS' : transferTypes.includes(typeNumber) ? 'REFUSED' : undefined
  return refused ? { error: writeReply(query, { rcode: refused }) } : { query }
}

/** A reply that is too long for UDP is truncated. */
export function writeReply(query: Query, reply: Reply): Buffer {
  const whole = encode(query, reply, false)
  const clientBytes = query.edns?.udpPayloadBytes ?? 512
  const maxBytes =
    query.transport === 'tcp' ? 65_535 : Math.max(512, Math.min(clientBytes, maxUdpBytes))
  return whole.length <= maxBytes ? whole : writeTruncated(query, reply)
}

/** An empty reply, which makes the client retry over TCP. */
export function writeTruncated(query: Query, reply: Reply): Buffer {
  return encode(query, { ...reply, answers: [], authorities: [], additionals: [] }, true)
}

function encode(query: Query, reply: Reply, isTruncated: boolean): Buffer {
  const rcode = rcodes[reply.rcode]
  const { additionals = [], answers = [], authorities = [] } = reply
  const flags =
    isResponse |
    (reply.isAuthoritative ? 0x0400 : 0) |
    (isTruncated ? 0x0200 : 0) |
    (query.wantsRecursion ? 0x0100 : 0) |
    (reply.offersRecursion ? 0x0080 : 0) |
    (query.isCheckingDisabled ? 0x0010 : 0) |
    (rcode & 15)
  const counts = [answers.length, authorities.length, additionals.length + (query.edns ? 1 : 0)]
  return Buffer.concat([
    ...[query.id, flags, 1, ...counts].map(twoBytes),
    query.questionBytes,
    ...[...answers, ...authorities, ...additionals].map((record) => writeRecord(record, query)),
    ...(query.edns ? [writeOpt(rcode >> 4, query, reply)] : []),
  ])
}

function writeRecord(record: LabRecord, { name }: Query): Buffer {
  const owner = record.name === name ? Buffer.of(0xc0, headerBytes) : nameBytes(record.name)
  const data = writeData(record)
  const number = typeNumbers[record.type as KnownType] ?? Number(record.type.slice('TYPE'.length))
  const fields = [number, internetClass].map(twoBytes)
  return Buffer.concat([
    owner,
    ...fields,
    fourBytes(record.ttlSeconds),
    twoBytes(data.length),
    data,
  ])
}

function writeData(record: LabRecord): Buffer {
  if ('data' in record) return Buffer.from(record.data, 'hex')
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return addressBytes(record.address)
    case 'CNAME':
    case 'DNAME':
    case 'NS':
      return nameBytes(record.target)
    case 'MX':
      return Buffer.concat([twoBytes(record.preference), nameBytes(record.target)])
    case 'TXT':
      return Buffer.concat(record.strings.map((text) => withLength(textBytes(text))))
    case 'CAA': {
      const [tag, value] = [Buffer.from(record.tag), textBytes(record.value)]
      return Buffer.concat([Buffer.of(record.flags), withLength(tag), value])
    }
    case 'HTTPS':
      return encodeSvcb(record)
    case 'SOA': {
      const times = [record.serial, 3600, 600, 1_209_600, record.minimumSeconds].map(fourBytes)
      return Buffer.concat([nameBytes(record.primary), nameBytes(record.mailbox), ...times])
    }
    case 'ALIAS':
      throw new Error('an ALIAS is never sent')
  }
}

/** EDNS(0), with the DO bit of the query (RFC 3225, section 3). */
function writeOpt(upperRcode: number, { wantsDnssec }: Query, { extendedError }: Reply): Buffer {
  const text = Buffer.from(extendedError?.text ?? '')
  const options = extendedError
    ? [...[extendedErrorOption, 2 + text.length, extendedError.code].map(twoBytes), text]
    : []
  const data = Buffer.concat(options)
  const flags = Buffer.of(upperRcode, 0, wantsDnssec ? dnssecOk : 0, 0)
  const head = [Buffer.of(0), twoBytes(optType), twoBytes(maxUdpBytes), flags]
  return Buffer.concat([...head, twoBytes(data.length), data])
}

const withLength = (bytes: Buffer): Buffer => Buffer.concat([Buffer.of(bytes.length), bytes])

function nameBytes(name: string): Buffer {
  const bytes = writeName(name)
  if (!bytes) throw new Error(`${name} cannot be sent`)
  return bytes
}

function fourBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Only a header: the question could not be read. */
function bareError(bytes: Buffer, rcode: LabRcode): Buffer {
  const reply = Buffer.alloc(headerBytes)
  bytes.copy(reply, 0, 0, 2)
  const echoed = bytes.readUInt16BE(2) & 0x7900
  reply.writeUInt16BE(isResponse | echoed | rcodes[rcode], 2)
  return reply
}
