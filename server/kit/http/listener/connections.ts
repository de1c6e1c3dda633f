// The open connections of a process by the hosts that they serve, on both ports, so that they can be closed when a host is
// removed. On the HTTPS port a connection begins with its handshake, see `Outcome` in tls/secure-listener.ts.
//
//   new      nothing was sent on it. The head of its first request arrives in time, or it is closed (HTTP/1: with a 408).
//   idle     no request is on it, as when it is new. Closed after a time-out, for a newer connection (clients.ts), and when
//            the process stops.
//   busy     a request is read, handled or answered. Closed when nothing moves, or its client takes no response in time
//            (reader-watch.ts). Requests that are pipelined wait for their turn (intake.ts).
//   closing  a response has said so: nothing that arrives is a request any more (body-limits.ts).
//
// One beyond the limits is surplus from its start: only paths that are always served are served on it. `cut` closes a
// connection in any state.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Awaitable } from '../../database/database.ts'
import type { Admission } from './clients.ts'
import type { Exchange } from './exchange.ts'

/** A connection on which requests may be repeated (repeated-requests.ts). */
export interface Repeatable {
  /** The answer that is under way. Never rejects. */
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

function own(socket: OwnedSocket, connection: Connection): void {
  socket[ofSocket] = connection
}

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
      own(connection.socket, connection)
      for (const host of connection.hosts) enter(connection, host)
    },
    /** Its socket is closed. */
    delete(connection: Connection) {
      all.delete(connection)
      for (const host of connection.hosts) leave(connection, host)
      connection.hosts.clear()
    },
    /** From now on requests arrive on this socket, which closes with the previous one. */
    replaceSocket(connection: Connection, socket: Socket) {
      connection.socket = socket
      own(socket, connection)
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
      const found = [...(byHost.get(host) ?? [])]
      for (const { socket } of found) socket.destroy()
      return found.length
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
  // Where Node keeps the response whose turn it is.
  const { _httpMessage } = socket as { _httpMessage?: unknown }
  const isOpen = _httpMessage !== null && _httpMessage !== undefined
  return streams === 0 && !isOpen && !repeatable?.answering
}

/** Whether requests for the host are allowed on it now, as far as that is known at once. */
export function admits({ admits: ask }: Connection, host: string): boolean {
  const admitted = ask?.(host) ?? true
  if (typeof admitted === 'boolean') return admitted
  // Who needs to know asks again, and reports it.
  admitted.catch(() => {})
  return false
}
