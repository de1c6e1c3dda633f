// A DNS listener on UDP and TCP at one address (RFC 1035, section 4.2; RFC 7766). Queries are answered
// independently: a slow answer delays no other.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { type Query, type Reply, readQuery, writeReply, writeTruncated } from './message.ts'

export interface Listening {
  address: string
  port: number
  close(): Promise<void>
}

/** Returns the reply, `silence`, or `truncated`, which makes clients retry over TCP. */
export type Answerer = (query: Query) => Promise<Reply | 'silence' | 'truncated'>

const idleMs = 10_000
const maxConnections = 200

/** Port 0 takes a free one. Throws the system's error if the address cannot be used. */
export async function listenDns(
  address: string,
  port: number,
  response: Answerer,
): Promise<Listening> {
  for (let attempt = 1; ; attempt++) {
    const sockets = new Set<Socket>()
    const tcp = createServer((socket) => serveConnection(socket, sockets, response))
    tcp.maxConnections = maxConnections
    await once(tcp.listen(port, address), 'listening')
    const bound = (tcp.address() as { port: number }).port
    const udp = createSocket(address.includes(':') ? 'udp6' : 'udp4')
    try {
      await once(udp.bind(bound, address), 'listening')
    } catch (error) {
      udp.close()
      tcp.close()
      // A port that is free for TCP may be in use for UDP: try another one.
      if (port !== 0 || attempt === 10) throw error
      continue
    }
    udp.on('error', () => {})
    udp.on('message', (bytes, from) => {
      void reply(bytes, 'udp', response).then((sent) => {
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

async function reply(
  bytes: Buffer,
  transport: 'udp' | 'tcp',
  response: Answerer,
): Promise<Buffer | undefined> {
  const read = readQuery(bytes, transport)
  if (!read) return undefined
  if ('error' in read) return read.error
  const { query } = read
  try {
    const reply = await response(query)
    if (reply === 'silence') return undefined
    if (reply === 'truncated')
      return writeTruncated(query, { rcode: 'NOERROR', isAuthoritative: true })
    return writeReply(query, reply)
  } catch {
    return writeReply(query, { rcode: 'SERVFAIL' })
  }
}

function serveConnection(socket: Socket, sockets: Set<Socket>, response: Answerer): void {
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
      void reply(message, 'tcp', response).then((sent) => {
        if (!sent || socket.destroyed) return
        const length = Buffer.alloc(2)
        length.writeUInt16BE(sent.length)
        socket.write(Buffer.concat([length, sent]))
      })
    }
  })
}
