// The private names of Node that the program uses, all of them, because no public way gives the same. What stands on each is
// said with it. node-internals.test.ts says which of them a version of Node has lost; run it on each line of Node that is
// supported.
import { IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SecureContext, TLSSocket } from 'node:tls'

/**
 * The response of HTTP/1 whose turn it is on a socket; undefined if there is none. Without it nobody knows which connections
 * are idle, and what the parser refuses cannot wait for the responses before it.
 */
export function currentResponseOf(socket: Duplex): ServerResponse | undefined {
  return (socket as { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
}

/**
 * Bytes that the operating system has not taken, of what was written to a socket. Node's own time-out looks at it, too,
 * because a part of a write may be taken. Without it a client that reads slowly cannot be told from one that does not.
 */
export function queuedBytesOf(socket: Socket): number {
  const { _handle } = socket as { _handle?: { writeQueueSize?: number } | null }
  return _handle?.writeQueueSize ?? 0
}

/**
 * Takes Node's HTTP/1 parser from a socket, which the server has just been given; undefined if something else listens, too.
 * The bytes of the socket are to be given to the returned function. Without it every request goes the ordinary way.
 */
export function takeParser(socket: Socket): ((chunk: Buffer) => void) | undefined {
  const [parser, ...others] = socket.listeners('data') as ((chunk: Buffer) => void)[]
  if (!parser || others.length > 0) return undefined
  socket.removeListener('data', parser)
  return parser.bind(socket)
}

/** Calls `listener` for a handshake that fails on the server's side of a TLS socket, which emits no error for it. */
export function onTlsError(socket: TLSSocket, listener: () => void): void {
  socket.on('_tlsError', listener)
}

/** What Node's own TLS server does after a handshake. False if it has been done before. */
export function releaseControl(socket: TLSSocket): boolean {
  const controlled = socket as TLSSocket & {
    secureConnecting: boolean
    _releaseControl(): boolean
  }
  controlled.secureConnecting = false
  return controlled._releaseControl()
}

/**
 * Frees the memory of a context, as Node frees that of a single connection. V8 does not know of it: with its garbage
 * collection alone, thousands of dropped contexts stayed. Open connections keep what they need. A handshake with a context
 * that is closed would end the process; without one it fails. False if nothing was freed.
 */
export function freeContext(context: SecureContext): boolean {
  const freeable = context as { context: { close?(): void } | null }
  const native = freeable.context
  freeable.context = null
  native?.close?.()
  return native?.close !== undefined
}

/** The accessor of a request's headers. Without it they are built also for a request that is refused. */
export const headersAccessor = Object.getOwnPropertyDescriptor(IncomingMessage.prototype, 'headers')
