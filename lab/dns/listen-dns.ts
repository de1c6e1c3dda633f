// A DNS listener on UDP and TCP at one address (RFC 1035, section 4.2; RFC 7766). Each query is answered for
// itself, so that a slow answer holds nobody else up.
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { type Query, type Reply, readQuery, writeReply, writeTruncated } from './message.ts'

export interface Listening {
  address: string
  port: number
  close(): Promise<void>
}

/** Gives the reply, `silence`, or `truncated`: over UDP, come back by TCP. */
export type Answerer = (query: Query) => Promise<Reply | 'silence' | 'truncated'>

const idleMs = 10_000
const maxConnections = 200

/** Port 0 takes a free one. Throws as the system does when the address cannot be had. */
export async function listenDns(
  address: string,
  port: number,
  answer: Answerer,
): Promise<Listening> {
  for (let attempt = 1; ; attempt++) {
    const sockets = new Set<Socket>()
    const tcp = createServer((socket) => serveConnection(socket, sockets, answer))
    tcp.maxConnections = maxConnections
    await listening(tcp, address, port)
    const bound = (tcp.address() as { port: number }).port
    const udp = createSocket(address.includes(':') ? 'udp6' : 'udp4')
    try {
      await bind(udp, address, bound)
    } catch (error) {
      tcp.close()
      // A port that was free for TCP may be taken for UDP: another one is tried.
      if (port !== 0 || attempt === 10) throw error
      continue
    }
    udp.on('error', () => {})
    udp.on('message', (bytes, from) => {
      void reply(bytes, 'udp', answer).then((sent) => {
        if (sent && !closed) udp.send(sent, from.port, from.address, () => {})
      })
    })
    let closed = false
    return {
      address,
      port: bound,
      async close() {
        closed = true
        udp.close()
        for (const socket of sockets) socket.destroy()
        tcp.close()
        await once(tcp, 'close')
      },
    }
  }
}

function listening(tcp: Server, address: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    tcp.once('error', reject)
    tcp.listen(port, address, () => resolve())
  })
}

function bind(udp: UdpSocket, address: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    udp.once('error', (error) => {
      udp.close()
      reject(error)
    })
    udp.bind(port, address, () => resolve())
  })
}

async function reply(
  bytes: Buffer,
  transport: 'udp' | 'tcp',
  answer: Answerer,
): Promise<Buffer | undefined> {
  const read = readQuery(bytes, transport)
  if (!read) return undefined
  if ('error' in read) return read.error
  const { query } = read
  try {
    const given = await answer(query)
    if (given === 'silence') return undefined
    if (given === 'truncated') {
      return writeTruncated(query, { rcode: 'NOERROR', isAuthoritative: true })
    }
    return writeReply(query, given)
  } catch {
    return writeReply(query, { rcode: 'SERVFAIL' })
  }
}

function serveConnection(socket: Socket, sockets: Set<Socket>, answer: Answerer): void {
  sockets.add(socket)
  let received = Buffer.alloc(0)
  socket.setTimeout(idleMs, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.on('close', () => sockets.delete(socket))
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes])
    while (received.length >= 2) {
      const end = 2 + received.readUInt16BE(0)
      if (received.length < end) return
      const message = received.subarray(2, end)
      received = received.subarray(end)
      void reply(message, 'tcp', answer).then((sent) => {
        if (!sent || socket.destroyed) return
        const length = Buffer.alloc(2)
        length.writeUInt16BE(sent.length)
        socket.write(Buffer.concat([length, sent]))
      })
    }
  })
}
