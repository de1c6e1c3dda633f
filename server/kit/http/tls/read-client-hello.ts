// Reads the ClientHello from the plain socket, before any cryptography, and puts the bytes back for the TLS server.
import type { Socket } from 'node:net'
import { AppError } from '../../errors.ts'
import { answerParserError } from '../listener/parser-errors.ts'
import { type ClientHello, maxHelloBytes, readClientHello } from './parse-client-hello.ts'

/** Alerts that are sent before TLS starts (RFC 8446, section 6.2). */
export const alerts = {
  decodeError: 50,
  internalError: 80,
  unrecognizedName: 112,
  noApplicationProtocol: 120,
} as const

const headBytes = 5
const maxBytes = 2 * maxHelloBytes

/**
 * Calls `settle` in the same turn as the last byte arrives. If it is not TLS, the client gets an answer, and the
 * connection is closed without a call.
 */
export function readHello(socket: Socket, settle: (hello: ClientHello) => void): void {
  const chunks: Buffer[] = []
  let have = 0
  let wanted = headBytes

  function read(chunk: Buffer): void {
    chunks.push(chunk)
    have += chunk.length
    if (have < wanted) return
    const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks)
    const found = readClientHello(bytes)
    if (found.kind === 'more' && have < maxBytes) {
      chunks.splice(0, chunks.length, bytes)
      wanted = found.bytes
      return
    }
    socket.off('data', read)
    if (found.kind === 'hello') {
      socket.pause()
      socket.unshift(bytes)
      settle(found.hello)
    } else if (found.kind !== 'other') sendAlert(socket, alerts.decodeError)
    else if (/^[A-Z]{3}/.test(bytes.toString('latin1', 0, 3))) answerPlainHttp(socket)
    else socket.destroy()
  }

  socket.on('data', read)
}

/** Refuses a handshake before it starts: sends a fatal alert in plain text and closes the connection. */
export function sendAlert(socket: Socket, alert: number): void {
  socket.end(Buffer.from([21, 3, 3, 0, 2, 2, alert]))
  socket.resume()
  socket.once('finish', () => socket.destroySoon())
}

function answerPlainHttp(socket: Socket): void {
  const message = 'This port speaks TLS. Begin the address with https://.'
  answerParserError(new AppError('invalid_request', message), socket)
}
