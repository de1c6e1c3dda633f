// Proxies before PostgreSQL, and what clients and PostgreSQL send to each other (the frontend/backend protocol, version 3).
import { connect, createServer, type Socket } from 'node:net'
import { listenOnFreePort } from './listen.ts'

/** Types of the frontend's messages. */
export const frontend = { bind: 0x42, parse: 0x50, query: 0x51, sync: 0x53 } as const
/** Types of the backend's. */
export const backend = { readyForQuery: 0x5a } as const

/** What the server answers together ends with one of these. A password and a termination have answers of their own, or none. */
const flightEnds: number[] = [frontend.query, frontend.sync, 0x70, 0x58]

export interface Message {
  type: number
  bytes: Buffer
}

/** Gives a function that takes bytes in order and returns the messages that are complete. The first of a client has no type. */
export function createMessageReader(sender: 'client' | 'server'): (bytes: Buffer) => Message[] {
  let unread = Buffer.alloc(0)
  let isStarted = sender === 'server'
  return (received) => {
    unread = Buffer.concat([unread, received])
    const messages: Message[] = []
    for (;;) {
      const start = isStarted ? 1 : 0
      if (unread.length < start + 4) return messages
      const length = start + unread.readInt32BE(start)
      if (unread.length < length) return messages
      const bytes = unread.subarray(0, length)
      unread = unread.subarray(length)
      messages.push({ type: isStarted ? (bytes[0] as number) : 0, bytes })
      isStarted = true
    }
  }
}

/** Gives a function that takes bytes of a client in order and returns what the server answers together: all up to a Sync. */
export function createFlightReader(): (bytes: Buffer) => Message[][] {
  const read = createMessageReader('client')
  let flight: Message[] = []
  return (bytes) => {
    const complete: Message[][] = []
    for (const message of read(bytes)) {
      flight.push(message)
      if (message.type !== 0 && !flightEnds.includes(message.type)) continue
      complete.push(flight)
      flight = []
    }
    return complete
  }
}

export interface DatabaseProxy {
  /** For DATABASE_URL. */
  url: string
  close(): Promise<void>
}

/** For each connection, `join` decides what passes between its two sides. */
export async function startDatabaseProxy(
  databaseUrl: string,
  join: (client: Socket, upstream: Socket) => void,
): Promise<DatabaseProxy> {
  const url = new URL(databaseUrl)
  const { hostname, port } = url
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay().on('error', () => {})
      socket.once('close', () => sockets.delete(socket))
    }
    join(client, upstream)
  })
  url.hostname = '127.0.0.1'
  url.port = String(await listenOnFreePort(server))
  return {
    url: url.href,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
