// A scripted name server for tests, UDP and TCP on one port, which can inject faults: wrong id, wrong question,
// another source, junk, silence, delay, truncation. It writes messages with dns-packet, so that our own parser is
// tested against another implementation.
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { createServer, type Socket as TcpSocket } from 'node:net'
import { promisify } from 'node:util'
import packet, { type Answer, type Packet } from 'dns-packet'
import { onTestFinished } from 'vitest'
import type { ServerAddress } from '#dns/messages/exchange.ts'
import { listenOnFreePort } from '../listen.ts'

export interface TestQuery {
  /** As sent, without a trailing dot. */
  name: string
  type: string
  transport: 'udp' | 'tcp'
  wantsRecursion: boolean
  isCheckingDisabled: boolean
  hasEdns: boolean
  id: number
  /** Of the client. */
  port: number
}

export interface TestReply {
  rcode?: number
  isAuthoritative?: boolean
  isTruncated?: boolean
  offersRecursion?: boolean
  isAuthenticated?: boolean
  answers?: Answer[]
  authorities?: Answer[]
  additionals?: Answer[]
  extendedError?: { code: number; text: string }
  /** Faults. */
  id?: 'wrong'
  kind?: 'query'
  question?: { name: string; type: string } | 'none'
  source?: 'other'
  bytes?: Buffer
  /** Sent before the answer, as a forger does. */
  before?: TestReply[]
  /** The answer waits for this. */
  after?: Promise<unknown>
}

/** `silent`: nothing is sent. `closed`: TCP is closed at once. */
export type TestScript = (query: TestQuery) => TestReply | 'silent' | 'closed'

export interface TestServer extends ServerAddress {
  queries: TestQuery[]
  close(): Promise<void>
}

/** Closed at the end of the test, if it is not before. */
export async function startTestServer(address: string, script: TestScript): Promise<TestServer> {
  const queries: TestQuery[] = []
  const connections = new Set<TcpSocket>()
  let isClosed = false
  const tcp = createServer((socket) => {
    connections.add(socket)
    if (isClosed) socket.destroy()
    socket.on('error', () => {})
    socket.on('close', () => connections.delete(socket))
    socket.once('data', (bytes: Buffer) => {
      const answered = reply(bytes.subarray(2), 'tcp', socket.remotePort ?? 0)
      if (answered === 'closed') socket.end()
      if (typeof answered === 'string') return
      void Promise.all(answered.datagrams).then((datagrams) => {
        for (const { bytes } of datagrams) {
          const length = Buffer.alloc(2)
          length.writeUInt16BE(bytes.length)
          // In two parts, as a network may deliver it.
          socket.write(Buffer.concat([length, bytes.subarray(0, 5)]))
          setImmediate(() => socket.write(bytes.subarray(5)))
        }
      })
    })
  })
  const reply = (bytes: Buffer, transport: 'udp' | 'tcp', port: number) => {
    const query = packet.decode(bytes)
    const seen = { ...queryOf(query, transport), port }
    queries.push(seen)
    const said = script(seen)
    if (typeof said === 'string') return said
    const all = [...(said.before ?? []), said]
    return {
      datagrams: all.map(async (each) => {
        await each.after
        return { bytes: each.bytes ?? encode(query, each), source: each.source }
      }),
    }
  }
  const { udp, port } = await listenBoth(address, tcp)
  const other = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  await promisify(other.bind.bind(other) as (p: number, a: string, cb: () => void) => void)(
    0,
    address,
  )
  udp.on('message', (bytes: Buffer, from: RemoteInfo) => {
    const answered = reply(bytes, 'udp', from.port)
    if (typeof answered === 'string') return
    for (const datagram of answered.datagrams) {
      void datagram.then(({ bytes, source }) => {
        if (!isClosed) (source === 'other' ? other : udp).send(bytes, from.port, from.address)
      })
    }
  })
  const close = async () => {
    if (isClosed) return
    isClosed = true
    for (const connection of connections) connection.destroy()
    const closed = promisify(tcp.close.bind(tcp))()
    udp.close()
    other.close()
    await closed
  }
  onTestFinished(close)
  return { address, port, queries, close }
}

export const ns = (zone: string, data: string): Answer => ({
  name: zone,
  type: 'NS',
  ttl: 60,
  data,
})
export const a = (name: string, data: string): Answer => ({ name, type: 'A', ttl: 60, data })
export const cname = (name: string, data: string): Answer => ({
  name,
  type: 'CNAME',
  ttl: 60,
  data,
})
export const soa = (zone: string, minimum = 60): Answer => ({
  name: zone,
  type: 'SOA',
  ttl: 60,
  data: { mname: `ns.${zone}`, rname: `me.${zone}`, serial: 1, minimum },
})

/** A port that is free for both. */
async function listenBoth(
  address: string,
  tcp: ReturnType<typeof createServer>,
): Promise<{ udp: Socket; port: number }> {
  const port = await listenOnFreePort(tcp, address)
  const udp = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  await new Promise<void>((resolve, reject) => {
    udp.once('error', reject)
    udp.bind(port, address, resolve)
  })
  return { udp, port }
}

function queryOf(query: Packet, transport: 'udp' | 'tcp'): Omit<TestQuery, 'port'> {
  const [question] = query.questions ?? []
  const flags = query.flags ?? 0
  return {
    name: question?.name === '.' ? '' : (question?.name ?? ''),
    type: question?.type ?? '',
    transport,
    id: query.id ?? 0,
    wantsRecursion: (flags & packet.RECURSION_DESIRED) !== 0,
    isCheckingDisabled: (flags & packet.CHECKING_DISABLED) !== 0,
    hasEdns: (query.additionals ?? []).some(({ type }) => type === 'OPT'),
  }
}

function encode(query: Packet, reply: TestReply): Buffer {
  const { rcode = 0, extendedError } = reply
  const flags =
    (reply.isAuthoritative === false ? 0 : packet.AUTHORITATIVE_ANSWER) |
    (reply.isTruncated ? packet.TRUNCATED_RESPONSE : 0) |
    (reply.offersRecursion ? packet.RECURSION_AVAILABLE : 0) |
    (reply.isAuthenticated ? packet.AUTHENTIC_DATA : 0) |
    (rcode & 0xf)
  const questions = reply.question === 'none' ? [] : (query.questions ?? [])
  const lie = typeof reply.question === 'object' ? [reply.question] : questions
  return packet.encode({
    type: reply.kind ?? 'response',
    id: reply.id === 'wrong' ? ((query.id ?? 0) + 1) & 0xffff : (query.id ?? 0),
    flags,
    questions: lie as NonNullable<Packet['questions']>,
    answers: reply.answers ?? [],
    authorities: reply.authorities ?? [],
    additionals: [
      ...(reply.additionals ?? []),
      ...(extendedError ? [edeOption(extendedError)] : []),
    ],
  })
}

function edeOption({ code, text }: { code: number; text: string }): Answer {
  const data = Buffer.concat([Buffer.of(code >> 8, code & 0xff), Buffer.from(text)])
  return {
    type: 'OPT',
    name: '.',
    udpPayloadSize: 1232,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [{ code: 15, data }],
  } as unknown as Answer
}
