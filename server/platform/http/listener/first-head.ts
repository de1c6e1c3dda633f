// New connections on which nothing has been sent. Node's HTTP/1 server does much for each of its sockets, so that it gets
// one with the first bytes.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connection } from './connections.ts'

/** Has the code of Node's own error for a late request. */
export class LateRequest extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
}

/** The head of the first request must arrive in time from now on, whenever its first byte does. */
export function awaitFirstHead(
  http1: Pick<Server, 'emit'>,
  socket: Socket,
  connection: Connection,
  timeoutMs: number,
): void {
  connection.firstHead = setTimeout(refuseLate, timeoutMs, http1, socket)
  socket.once('data', (chunk: Buffer) => {
    http1.emit('connection', socket)
    socket.emit('data', chunk)
  })
}

function refuseLate(http1: Pick<Server, 'emit'>, socket: Socket): void {
  http1.emit('clientError', new LateRequest(), socket)
}
