// Limits what a client may send: the time in which its body arrives, and what it sends after its response. A connection on
// which the client may be sending is not closed at once: the system would answer what arrives with a reset, which takes the
// response back from a client that has not read it (RFC 9112, section 9.6).
import type { Duplex } from 'node:stream'
import type { ApiRequest } from '../request/request-head.ts'
import type { Exchange } from './exchange.ts'
import type { Limits } from './limits.ts'

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
