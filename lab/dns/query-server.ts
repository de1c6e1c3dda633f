// One question to one server, over UDP and, if truncated, over TCP. Messages that do not answer it are ignored.
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import packet, { type Answer, type DecodedPacket } from 'dns-packet'
import { optRecord, typeOnWire } from './message.ts'
import { fromWire, onWire } from './zone.ts'

export interface ServerAnswer {
  rcode: string
  isAuthoritative: boolean
  isTruncated: boolean
  answers: Answer[]
  authorities: Answer[]
  additionals: Answer[]
}

interface ServerAddress {
  address: string
  port: number
}

/** A server that has not responded within so many ticks of 100 ms is silent. */
const patienceTicks = 10

/** Undefined without a valid answer in time. */
export async function queryServer(
  server: ServerAddress,
  question: { name: string; type: string },
): Promise<ServerAnswer | undefined> {
  const id = randomInt(65_536)
  const query = packet.encode({
    type: 'query',
    id,
    flags: 0,
    questions: [{ name: onWire(question.name), type: typeOnWire(question.type) }],
    additionals: [optRecord(0, true)],
  })
  const accept = (bytes: Buffer): ServerAnswer | undefined => readAnswer(bytes, id, question)
  const answer = await askByUdp(server, query, accept)
  return answer?.isTruncated ? await askByTcp(server, query, accept) : answer
}

type Accept = (bytes: Buffer) => ServerAnswer | undefined

function readAnswer(
  bytes: Buffer,
  id: number,
  { name, type }: { name: string; type: string },
): ServerAnswer | undefined {
  let decoded: DecodedPacket & { rcode?: string }
  try {
    decoded = packet.decode(bytes)
  } catch {
    return undefined
  }
  const [answered] = decoded.questions ?? []
  const isAnswer =
    decoded.id === id &&
    decoded.flag_qr &&
    answered?.type === typeOnWire(type) &&
    fromWire(answered.name) === name
  if (!isAnswer) return undefined
  return {
    rcode: decoded.rcode ?? '',
    isAuthoritative: decoded.flag_aa,
    isTruncated: decoded.flag_tc,
    answers: decoded.answers ?? [],
    authorities: decoded.authorities ?? [],
    additionals: decoded.additionals ?? [],
  }
}

async function askByUdp(
  { address, port }: ServerAddress,
  query: Buffer,
  accept: Accept,
): Promise<ServerAnswer | undefined> {
  const { promise, resolve } = Promise.withResolvers<ServerAnswer | undefined>()
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  const stop = afterWaiting(() => resolve(undefined))
  socket.on('error', () => resolve(undefined))
  socket.on('message', (bytes) => {
    const answer = accept(bytes)
    if (answer) resolve(answer)
  })
  // Connected, so that the system drops datagrams of other senders.
  socket.connect(port, address, () => socket.send(query))
  const answer = await promise
  stop()
  socket.close()
  return answer
}

async function askByTcp(
  { address, port }: ServerAddress,
  query: Buffer,
  accept: Accept,
): Promise<ServerAnswer | undefined> {
  const socket = connect(port, address)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(query.length)
  socket.write(Buffer.concat([length, query]))
  const stop = afterWaiting(() => socket.destroy())
  let received = Buffer.alloc(0)
  try {
    for await (const bytes of socket) {
      received = Buffer.concat([received, bytes])
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) continue
      return accept(received.subarray(2, 2 + received.readUInt16BE(0)))
    }
    return undefined
  } catch {
    return undefined
  } finally {
    stop()
    socket.destroy()
  }
}

/** Calls `end` unless it is stopped first. A busy process has fewer ticks, and the servers of the lab are in it, too. */
function afterWaiting(end: () => void): () => void {
  let ticks = 0
  const timer = setInterval(() => {
    if (++ticks === patienceTicks) end()
  }, 100)
  return () => clearInterval(timer)
}
