// The open connections of a process by the hosts that they serve, on both ports, so that a host that goes
// takes its connections with it. A connection is here from its first byte to its end.
import type { Socket } from 'node:net'
import type { Awaitable } from '../../database/database.ts'

/** What is known of one connection. */
export interface Connection {
  /** The socket that requests arrive on: the TLS socket once there is one. */
  socket: Socket
  readonly isSecure: boolean
  /** Whether a host may be asked for here now; undefined: any, which is so on the plain port. */
  readonly admits: ((host: string) => Awaitable<boolean>) | undefined
  /** What it has served: the SNI's host, and all that were asked for. */
  readonly hosts: Set<string>
}

export interface Connections {
  /** Enters a connection until its socket closes. */
  add(connection: Connection): void
  /** From now on requests arrive on this socket, which ends when the one before it does. */
  moved(connection: Connection, socket: Socket): void
  /** That of a socket which was entered. */
  of(socket: Socket): Connection | undefined
  /** The connection serves this host, too. Of very many, those that were first asked for are forgotten. */
  serves(connection: Connection, host: string): void
  /** How many serve a host. */
  connectionsOf(host: string): number
  /** Destroys every connection that serves the host, at once; gives their number. Others are untouched. */
  cut(host: string): number
  /** How many there are. */
  readonly size: number
}

/** A proxy may ask for any number on one connection, each after the answer to the one before. */
const maxHosts = 100

export function createConnections(): Connections {
  const bySocket = new WeakMap<Socket, Connection>()
  const byHost = new Map<string, Set<Connection>>()
  let size = 0

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
    add(connection) {
      size++
      bySocket.set(connection.socket, connection)
      for (const host of connection.hosts) enter(connection, host)
      connection.socket.once('close', () => {
        size--
        for (const host of connection.hosts) leave(connection, host)
        connection.hosts.clear()
      })
    },
    moved(connection, socket) {
      connection.socket = socket
      bySocket.set(socket, connection)
    },
    of: (socket) => bySocket.get(socket),
    serves(connection, host) {
      const { hosts, socket } = connection
      if (hosts.has(host) || socket.destroyed) return
      const [first] = hosts
      if (first !== undefined && hosts.size >= maxHosts) {
        leave(connection, first)
        hosts.delete(first)
      }
      hosts.add(host)
      enter(connection, host)
    },
    connectionsOf: (host) => byHost.get(host)?.size ?? 0,
    cut(host) {
      const found = [...(byHost.get(host) ?? [])]
      for (const { socket } of found) socket.destroy()
      return found.length
    },
    get size() {
      return size
    },
  }
}
