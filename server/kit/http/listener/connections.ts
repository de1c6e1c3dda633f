// The open connections of a process by the hosts that they serve, on both ports, so that they can be closed when a host is
// removed. On the HTTPS port a connection begins with its handshake, see `Outcome` in tls/secure-listener.ts.
//
//   new      nothing was sent on it. The head of its first request arrives in time, or it is closed (HTTP/1: with a 408).
//   idle     no request is on it, as when it is new. Closed after a time-out, for a newer connection (clients.ts), and when
//            the process stops.
//   busy     a request is read, handled or answered. Closed when nothing moves, or its client takes no response in time.
//            Requests that are pipelined wait for their turn (pipelines.ts).
//   closing  a response has said so: nothing that arrives is a request any more.
//
// One beyond the limits is surplus from its start: only paths that are always served are served on it. `cut` closes a
// connection in any state.
//
// What a client may send is limited: the time in which a body arrives, and what follows the response. A connection on which
// the client may be sending is not closed at once: the system would answer what arrives with a reset, which takes the response
// back from a client that has not read it (RFC 9112, section 9.6).
//
// Clients take their responses in time, or lose the connection. Each check sums what Node holds for them, with the heads of
// their requests that wait: the bytes of one client network, and of all, are bounded. And a client takes a minimum of the
// bytes that wait for it in time, so that a window which opens byte by byte keeps nothing.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Awaitable } from '../../database/database.ts'
import type { Limits } from '../limits.ts'
import { currentResponseOf, queuedBytesOf } from '../node-internals.ts'
import type { ApiRequest } from '../request/request-head.ts'
import type { Admission, Client } from './clients.ts'

/** A connection on which requests may be repeated (repeated-requests.ts). */
export interface Repeatable {
  /** The response that is under way. Never rejects. */
  answering: Promise<void> | undefined
  /** Notes a request of Node's parser, before it is handled. */
  note(exchange: Exchange): void
  /** Node's parser has left the connection. */
  stop(): void
}

/** A proxy may request any number of hosts on one connection. */
const maxHosts = 100

export type Connections = ReturnType<typeof createConnections>

export type Connection = ReturnType<typeof createConnection>

interface Place {
  readonly isSecure: boolean
  /** Whether requests for a host are allowed on it now; undefined allows all, as on the plain port. */
  readonly admits: ((host: string) => Awaitable<boolean>) | undefined
  /** The SNI's host, and the hosts of which it was sent pages. */
  readonly hosts: Set<string>
}

/** A connection without requests so far. `transport` is the TCP socket. */
export function createConnection(
  transport: Socket,
  { client, isSurplus }: Admission,
  { admits, hosts, isSecure }: Place,
) {
  return {
    admits,
    hosts,
    isSecure,
    /** The socket that requests arrive on: the TLS socket once there is one. */
    socket: transport,
    transport,
    client,
    /** See clients.ts. */
    isSurplus,
    /** Open HTTP/2 streams. */
    streams: 0,
    /** Of HTTP/2 responses: bytes that were not sent. */
    heldBytes: 0,
    /** What they are, with the number of holders; undefined for HTTP/1. */
    held: undefined as Map<string | Uint8Array, number> | undefined,
    /** On HTTP/1: responses that were made ahead of their turn, in their order. Node keeps what they hold. */
    ahead: [] as ServerResponse[],
    /** Of the heads of pipelined requests that wait, and of open HTTP/2 streams. */
    headBytes: 0,
    /** Of HTTP/2 requests: bytes of their heads and bodies. */
    requestBytes: 0,
    /** PING and SETTINGS frames that were answered. */
    controlFrames: 0,
    /** Undefined for HTTP/2. */
    repeatable: undefined as Repeatable | undefined,
    /** Called with each check of readers, where there is one. */
    check: undefined as (() => void) | undefined,
    /** When the head of its first request is late, by `performance.now`; Infinity where Node sees to it. */
    headUntil: Number.POSITIVE_INFINITY,
  }
}

/**
 * Where a socket has its connection. In a WeakMap each quick run of the garbage collector would keep the connections of
 * closed sockets.
 */
const ofSocket = Symbol('connection')
type OwnedSocket = Socket & { [ofSocket]?: Connection }

function connectionOf(socket: OwnedSocket): Connection | undefined {
  return socket[ofSocket]
}

export function createConnections() {
  const all = new Set<Connection>()
  const byHost = new Map<string, Set<Connection>>()

  function enter(connection: Connection, host: string): void {
    const others = byHost.get(host)
    if (others) others.add(connection)
    else byHost.set(host, new Set([connection]))
  }

  function leave(connection: Connection, host: string): void {
    const others = byHost.get(host)
    others?.delete(connection)
    if (others?.size === 0) byHost.delete(host)
  }

  return {
    /** Adds a connection until it is deleted. */
    add(connection: Connection) {
      all.add(connection)
      const socket: OwnedSocket = connection.socket
      socket[ofSocket] = connection
      for (const host of connection.hosts) enter(connection, host)
    },
    /** Its socket is closed. */
    delete(connection: Connection) {
      all.delete(connection)
      for (const host of connection.hosts) leave(connection, host)
      connection.hosts.clear()
    },
    /** From now on requests arrive on this socket, which closes with the previous one. */
    replaceSocket(connection: Connection, socket: OwnedSocket) {
      connection.socket = socket
      socket[ofSocket] = connection
    },
    /** The connection of a socket. */
    of: connectionOf,
    /**
     * The connection of this socket serves the host, too. Beyond `maxHosts` the first ones are forgotten. Not for
     * requests that are refused because of their host: `cut` would interrupt their response.
     */
    serves(socket: Socket, host: string) {
      const connection = connectionOf(socket)
      if (!connection || connection.hosts.has(host) || socket.destroyed) return
      const { hosts } = connection
      const [first] = hosts
      if (first !== undefined && hosts.size >= maxHosts) {
        leave(connection, first)
        hosts.delete(first)
      }
      hosts.add(host)
      enter(connection, host)
    },
    /** The number of connections that serve a host. */
    connectionsOf: (host: string) => byHost.get(host)?.size ?? 0,
    /** Destroys the connections that serve the host immediately. Returns their number. */
    cut(host: string) {
      const open = [...(byHost.get(host) ?? [])]
      for (const { socket } of open) socket.destroy()
      return open.length
    },
    /** Oldest first. */
    all: (): Iterable<Connection> => all,
    get size() {
      return all.size
    },
  }
}

/** Bytes of a head on the wire, at most: its fields as they are, with their lengths, and its frames. */
export function headBytes(rawHeaders: readonly string[]): number {
  let bytes = 9
  for (const text of rawHeaders) bytes += text.length + 4
  return bytes
}

/** Counts what waits for the client: once, however many responses it is of. */
export function hold(connection: Connection, body: string | Uint8Array): void {
  const holders = connection.held?.get(body) ?? 0
  connection.held?.set(body, holders + 1)
  if (holders === 0) connection.heldBytes += body.length
}

/** For each call of `hold`. */
export function release(connection: Connection, body: string | Uint8Array): void {
  const holders = connection.held?.get(body) ?? 0
  if (holders > 1) connection.held?.set(body, holders - 1)
  else if (connection.held?.delete(body)) connection.heldBytes -= body.length
}

/** Whether there is no request on it. */
export function isIdle({ repeatable, socket, streams }: Connection): boolean {
  return streams === 0 && currentResponseOf(socket) === undefined && !repeatable?.answering
}

/** Whether requests for the host are allowed on it now, as far as that is known at once. */
export function admits({ admits: ask }: Connection, host: string): boolean {
  const admitted = ask?.(host) ?? true
  if (typeof admitted === 'boolean') return admitted
  // Who needs to know asks again, and reports it.
  admitted.catch(() => {})
  return false
}

export interface Exchange {
  request: ApiRequest
  response: ServerResponse
  /** Ends it with a 408: its body did not arrive in time. */
  endLate(): void
  /** Discards the rest of an unread body after the response. */
  dropBody(): void
}

/** After the response on a connection that closes: of bytes, of time, and of time in which nothing arrives. */
const closing = { bytes: 64 * 1024 * 1024, ms: 30_000, idleMs: 2_000 }

/** Ends a request whose body does not arrive in time. */
export function limitBodyTime({ endLate, request }: Exchange, { bodyTimeoutMs }: Limits): void {
  const late = (): void => {
    const left = (request.bodyWithinMs ?? 0) - (performance.now() - request.startedAt)
    if (request.complete) return
    if (left > 0) timer = setTimeout(late, left)
    else endLate()
  }
  let timer = setTimeout(late, bodyTimeoutMs)
  request.once('end', () => clearTimeout(timer))
  request.once('close', () => clearTimeout(timer))
}

/** Reads an unwanted body to its end, to keep the connection, unless it is too long for that or is to close anyway. */
export function limitUnread(request: ApiRequest, bytes: number): void {
  if (request.complete) return
  const { socket } = request
  // What Node calls after the last response.
  socket.destroySoon = () => closeAfterResponse(socket)
  let left = bytes
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0 && socket.writable) closeAfterResponse(socket)
  })
  // Node drops a body itself only if nothing has begun to read it.
  request.read(0)
}

/**
 * Closes the writing side, after `rest` of the response, and ignores what arrives until the client closes its side.
 * Nothing that arrives after this is a request.
 */
export function closeAfterResponse(socket: Duplex, rest?: string): void {
  const destroy = (): void => void socket.destroy()
  const idle = setTimeout(destroy, closing.idleMs)
  const end = setTimeout(destroy, closing.ms)
  let left = closing.bytes
  socket.removeAllListeners('data')
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) destroy()
    else idle.refresh()
  })
  socket.once('close', () => {
    clearTimeout(idle)
    clearTimeout(end)
  })
  socket.end(rest)
  socket.resume()
}

interface Reader {
  /** Checks in a row in which bytes were waiting. */
  checks: number
  /** Bytes that were taken before the present run of `readerChecks`. */
  takenBefore: number
}

type ReaderLimits = Pick<
  Limits,
  'heldBytes' | 'heldBytesOfClient' | 'readerBytes' | 'readerCheckMs' | 'readerChecks'
>

interface Held {
  connection: Connection
  bytes: number
  checks: number
}

/** Returns the check, which is repeated while there are connections. */
export function watchReaders(connections: Connections, limits: ReaderLimits): () => void {
  const readers = new WeakMap<Connection, Reader>()

  function check(): void {
    const held: Held[] = []
    for (const connection of connections.all()) {
      connection.check?.()
      const bytes = heldBytesOf(connection)
      if (bytes === 0) readers.delete(connection)
      const checks = bytes === 0 ? 0 : checkProgress(connection)
      const sum = bytes + connection.headBytes
      if (sum > 0) held.push({ connection, bytes: sum, checks })
    }
    limitHeld(held)
  }

  /** Returns the checks in a row in which bytes were waiting. Closes a connection that does not take enough. */
  function checkProgress(connection: Connection): number {
    const takenBytes = takenBytesOf(connection)
    const reader = readers.get(connection)
    if (!reader) {
      readers.set(connection, { checks: 1, takenBefore: takenBytes })
      return 1
    }
    reader.checks++
    if (reader.checks % limits.readerChecks === 0) {
      if (takenBytes - reader.takenBefore < limits.readerBytes) connection.socket.destroy()
      reader.takenBefore = takenBytes
    }
    return reader.checks
  }

  /** Closes those that have waited longest, of clients for which too much is held, then of all. */
  function limitHeld(readers: Held[]): void {
    const byClient = new Map<Client, number>()
    let inAll = 0
    for (const { bytes, connection } of readers) {
      inAll += bytes
      byClient.set(connection.client, (byClient.get(connection.client) ?? 0) + bytes)
    }
    const isOver = (client: Client): boolean =>
      client.network !== undefined && (byClient.get(client) ?? 0) > limits.heldBytesOfClient
    if (inAll <= limits.heldBytes && ![...byClient.keys()].some(isOver)) return
    readers.sort((a, b) => b.checks - a.checks)
    for (const { bytes, connection } of readers) {
      const { client, socket } = connection
      if (inAll <= limits.heldBytes && !isOver(client)) continue
      socket.destroy()
      inAll -= bytes
      byClient.set(client, (byClient.get(client) ?? 0) - bytes)
    }
  }

  return check
}

/** Bytes of all responses that wait for their clients, and of the heads of requests that wait. */
export function countHeldBytes(connections: Connections): number {
  let bytes = 0
  for (const connection of connections.all())
    bytes += heldBytesOf(connection) + connection.headBytes
  return bytes
}

function heldBytesOf({ ahead, heldBytes, socket, transport }: Connection): number {
  // With TLS there is an encrypted copy of what is being written.
  let bytes =
    heldBytes + socket.writableLength + (socket === transport ? 0 : queuedBytesOf(transport))
  for (const { writableLength } of ahead) bytes += writableLength
  return bytes
}

/** Of a PING or SETTINGS frame's acknowledgement, with its record of TLS. */
const controlFrameBytes = 64

/** Bytes that the operating system has taken for the client, without acknowledgements of control frames. */
function takenBytesOf({ controlFrames, transport }: Connection): number {
  return transport.bytesWritten - queuedBytesOf(transport) - controlFrames * controlFrameBytes
}
