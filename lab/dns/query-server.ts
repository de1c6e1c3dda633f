// One question to one server, by UDP and, when truncated, by TCP. What is not the answer to it is not seen.
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import packet, { type Answer, type DecodedPacket } from 'dns-packet'
import { optRecord } from './message.ts'
import { fromWire, onWire } from './zone.ts'

export interface ServerAnswer {
  rcode: string
  isAuthoritative: boolean
  isTruncated: boolean
  answers: Answer[]
  authorities: Answer[]
  additionals: Answer[]
}

const withinMs = 1000

/** Undefined when no answer came in time, or none that is one. */
export async function queryServer(
  server: { address: string; port: number },
  question: { name: string; type: string },
): Promise<ServerAnswer | undefined> {
  const id = randomInt(65_536)
  const query = packet.encode({
    type: 'query',
    id,
    flags: 0,
    questions: [{ name: onWire(question.name), type: question.type as 'A' }],
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
  const [asked] = decoded.questions ?? []
  const isOurs =
    decoded.id === id && decoded.flag_qr && asked?.type === type && fromWire(asked.name) === name
  if (!isOurs) return undefined
  return {
    rcode: decoded.rcode ?? '',
    isAuthoritative: decoded.flag_aa,
    isTruncated: decoded.flag_tc,
    answers: decoded.answers ?? [],
    authorities: decoded.authorities ?? [],
    additionals: decoded.additionals ?? [],
  }
}

function askByUdp(
  { address, port }: { address: string; port: number },
  query: Buffer,
  accept: Accept,
): Promise<ServerAnswer | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
    const finish = (answer: ServerAnswer | undefined): void => {
      clearTimeout(timer)
      socket.close()
      resolve(answer)
    }
    const timer = setTimeout(finish, withinMs, undefined)
    socket.on('error', () => finish(undefined))
    socket.on('message', (bytes) => {
      const answer = accept(bytes)
      if (answer) finish(answer)
    })
    // Connected, so that the system hands on what comes from there alone.
    socket.connect(port, address, () => socket.send(query))
  })
}

function askByTcp(
  { address, port }: { address: string; port: number },
  query: Buffer,
  accept: Accept,
): Promise<ServerAnswer | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, address)
    let received = Buffer.alloc(0)
    const finish = (answer: ServerAnswer | undefined): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(finish, withinMs, undefined)
    socket.on('error', () => finish(undefined))
    socket.on('close', () => finish(undefined))
    socket.on('connect', () => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(query.length)
      socket.write(Buffer.concat([length, query]))
    })
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return
      finish(accept(received.subarray(2, 2 + received.readUInt16BE(0))))
    })
  })
}
