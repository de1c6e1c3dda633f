// Closes the connections of clients that do not take their responses. Each check sums what Node holds for them, with the
// heads of their requests that wait: the bytes of one client network, and of all, are bounded. And a client takes a minimum
// of the bytes that wait for it in time, so that a window which opens byte by byte keeps nothing. Connections may have
// checks of their own.
import type { Socket } from 'node:net'
import type { Client } from './clients.ts'
import type { Connection, Connections } from './connections.ts'
import type { Limits } from './limits.ts'

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
    const taken = takenBytesOf(connection)
    const reader = readers.get(connection)
    if (!reader) {
      readers.set(connection, { checks: 1, takenBefore: taken })
      return 1
    }
    reader.checks++
    if (reader.checks % limits.readerChecks === 0) {
      if (taken - reader.takenBefore < limits.readerBytes) connection.socket.destroy()
      reader.takenBefore = taken
    }
    return reader.checks
  }

  /** Closes those that have waited longest, of clients for which too much is held, then of all. */
  function limitHeld(held: Held[]): void {
    const byClient = new Map<Client, number>()
    let inAll = 0
    for (const { bytes, connection } of held) {
      inAll += bytes
      byClient.set(connection.client, (byClient.get(connection.client) ?? 0) + bytes)
    }
    const isOver = (client: Client): boolean =>
      client.network !== undefined && (byClient.get(client) ?? 0) > limits.heldBytesOfClient
    if (inAll <= limits.heldBytes && ![...byClient.keys()].some(isOver)) return
    held.sort((a, b) => b.checks - a.checks)
    for (const { bytes, connection } of held) {
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

/** Of a PING or SETTINGS frame's answer, with its record of TLS. */
const controlFrameBytes = 64

/** Bytes that the operating system has taken for the client, without answers to control frames. */
function takenBytesOf({ controlFrames, transport }: Connection): number {
  return transport.bytesWritten - queuedBytesOf(transport) - controlFrames * controlFrameBytes
}

/** What Node's own time-out looks at, because a part of a write may be taken. */
function queuedBytesOf(transport: Socket): number {
  const { _handle } = transport as { _handle?: { writeQueueSize?: number } | null }
  return _handle?.writeQueueSize ?? 0
}
