// DNS messages as a server reads and writes them. Reading never throws.
import packet, { type Answer, type DecodedPacket, type OptAnswer } from 'dns-packet'
import type { LabRcode } from './answer-query.ts'
import { fromWire, httpsOnWire } from './zone.ts'

export interface Query {
  id: number
  transport: 'udp' | 'tcp'
  /** As it was sent, for the answer. `name` is in lower case, for the lookup. */
  nameAsSent: string
  name: string
  type: string
  wantsRecursion: boolean
  isCheckingDisabled: boolean
  wantsDnssec: boolean
  /** Undefined without EDNS. */
  edns: { udpPayloadBytes: number } | undefined
}

export interface Reply {
  rcode: LabRcode
  isAuthoritative?: boolean
  offersRecursion?: boolean
  answers?: Answer[]
  authorities?: Answer[]
  additionals?: Answer[]
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
const isResponse = 0x8000
const maxUdpBytes = 1232
const extendedErrorOption = 15

/** A query, or the error to reply with; undefined for a message that gets no reply. */
export function readQuery(
  bytes: Buffer,
  transport: 'udp' | 'tcp',
): { query: Query } | { error: Buffer } | undefined {
  if (bytes.length < 12 || (bytes.readUInt16BE(2) & isResponse) !== 0) return undefined
  const opcode = (bytes.readUInt16BE(2) >> 11) & 15
  if (opcode !== 0) return { error: bareError(bytes, 'NOTIMP') }
  let decoded: DecodedPacket
  try {
    decoded = packet.decode(bytes)
  } catch {
    return { error: bareError(bytes, 'FORMERR') }
  }
  const [question, ...more] = decoded.questions ?? []
  const opts = (decoded.additionals ?? []).filter((record) => record.type === 'OPT')
  if (!question || more.length > 0 || opts.length > 1 || !isEchoed(bytes, question)) {
    return { error: bareError(bytes, 'FORMERR') }
  }
  const [opt] = opts as OptAnswer[]
  if (question.class !== 'IN') return { error: bareError(bytes, 'REFUSED') }
  const query: Query = {
    id: bytes.readUInt16BE(0),
    transport,
    nameAsSent: question.name,
    name: fromWire(question.name),
    type: question.type === (httpsOnWire as 'NULL') ? 'HTTPS' : question.type,
    wantsRecursion: decoded.flag_rd,
    isCheckingDisabled: decoded.flag_cd,
    wantsDnssec: opt?.flag_do ?? false,
    edns: opt && { udpPayloadBytes: opt.udpPayloadSize },
  }
  const refused =
    opt && opt.ednsVersion > 0
      ? 'BADVERS'
      : ['AXFR', 'IXFR'].includes(question.type)
        ? 'REFUSED'
        : undefined
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
  const flags =
    (reply.isAuthoritative ? packet.AUTHORITATIVE_ANSWER : 0) |
    (isTruncated ? packet.TRUNCATED_RESPONSE : 0) |
    (query.wantsRecursion ? packet.RECURSION_DESIRED : 0) |
    (reply.offersRecursion ? packet.RECURSION_AVAILABLE : 0) |
    (query.isCheckingDisabled ? packet.CHECKING_DISABLED : 0) |
    (rcode & 15)
  // The case of the name in the question is kept.
  const asSent = (record: Answer): Answer =>
    record.type !== 'OPT' && fromWire(record.name) === query.name
      ? { ...record, name: query.nameAsSent }
      : record
  return packet.encode({
    type: 'response',
    id: query.id,
    flags,
    questions: [{ name: query.nameAsSent, type: typeOnWire(query.type), class: 'IN' }],
    answers: (reply.answers ?? []).map(asSent),
    authorities: reply.authorities ?? [],
    additionals: [
      ...(reply.additionals ?? []),
      ...(query.edns ? [optRecord(rcode >> 4, query.wantsDnssec, reply.extendedError)] : []),
    ],
  })
}

/** Of a question, in dns-packet's words. */
export const typeOnWire = (type: string) => (type === 'HTTPS' ? httpsOnWire : type) as 'A'

/** EDNS(0), with the DO bit of the query (RFC 3225, section 3). */
export function optRecord(
  extendedRcode: number,
  wantsDnssec: boolean,
  extendedError?: { code: number; text: string },
): OptAnswer {
  const options = []
  if (extendedError) {
    const data = Buffer.alloc(2 + Buffer.byteLength(extendedError.text))
    data.writeUInt16BE(extendedError.code)
    data.write(extendedError.text, 2)
    options.push({ code: extendedErrorOption, data })
  }
  return {
    name: '.',
    type: 'OPT',
    udpPayloadSize: maxUdpBytes,
    extendedRcode,
    ednsVersion: 0,
    flags: wantsDnssec ? packet.DNSSEC_OK : 0,
    flag_do: wantsDnssec,
    // The library's types lack the option; its code supports it.
    options: options as unknown as OptAnswer['options'],
  }
}

/** Whether the library writes the name with the same bytes: it misreads some unusual names. */
function isEchoed(bytes: Buffer, question: { name: string }): boolean {
  try {
    const again = packet.encode({ questions: [{ name: question.name, type: 'A' }] })
    return again.subarray(12, -4).equals(bytes.subarray(12, again.length - 4))
  } catch {
    return false
  }
}

/** Only a header: the question could not be read. */
function bareError(bytes: Buffer, rcode: LabRcode): Buffer {
  const reply = Buffer.alloc(12)
  bytes.copy(reply, 0, 0, 2)
  const kept = bytes.readUInt16BE(2) & 0x7900
  reply.writeUInt16BE(isResponse | kept | rcodes[rcode], 2)
  return reply
}
