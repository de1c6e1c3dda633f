// New connections on which nothing has been sent. Node's HTTP/1 server does much for each of its sockets, so that it gets
// one with the first bytes. The head of the first request must arrive in time all the same.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection, Connections } from './connections.ts'
import type { Limits } from './limits.ts'

/** Has the code of Node's own error for a late request. */
export class LateRequest extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
}

type Http1 = Pick<Server, 'emit'>
type HeadLimits = Pick<Limits, 'headersTimeoutMs'>

export function awaitFirstHead(
  http1: Http1,
  socket: Socket,
  connection: Connection,
  { headersTimeoutMs }: HeadLimits,
): void {
  connection.headUntil = performance.now() + headersTimeoutMs
  socket.once('data', (chunk: Buffer) => {
    http1.emit('connection', socket)
    socket.emit('data', chunk)
  })
}

/** How often heads are checked. */
export function headCheckMs({ headersTimeoutMs }: HeadLimits): number {
  return Math.min(1000, headersTimeoutMs)
}

/** Answers those that are late as Node does, and closes them. */
export function refuseLateHeads(http1: Http1, connections: Connections): void {
  const now = performance.now()
  for (const connection of connections.all()) {
    if (connection.headUntil > now) continue
    connection.headUntil = Number.POSITIVE_INFINITY
    http1.emit('clientError', new LateRequest(), connection.socket)
  }
}
