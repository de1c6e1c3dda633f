// The first moments of a connection on the TLS port, before any cryptography: reads the client's hello off
// the bare socket and leaves the bytes there for whoever comes next.
import type { Socket } from 'node:net'
import { AppError } from '../../errors.ts'
import { answerParserError } from '../listener/parser-errors.ts'
import { type ClientHello, maxHelloBytes, readClientHello } from './parse-client-hello.ts'

/** Alerts that are sent before TLS has begun (RFC 8446, section 6.2). */
export const alerts = {
  decodeError: 50,
  internalError: 80,
  unrecognizedName: 112,
  noApplicationProtocol: 120,
} as const

const headBytes = 5
const maxBytes = 2 * maxHelloBytes

/** Gives undefined when the connection is over, or was answered and ended because it is no TLS. */
export function readHello(socket: Socket): Promise<ClientHello | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let have = 0
    let wanted = headBytes

    function settle(hello: ClientHello | undefined): void {
      socket.off('readable', read)
      socket.off('end', end)
      socket.off('close', end)
      resolve(hello)
    }

    function end(): void {
      socket.destroy()
      settle(undefined)
    }

    function read(): void {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
        chunks.push(chunk)
        have += chunk.length
      }
      if (have < wanted) return
      const bytes = Buffer.concat(chunks)
      const found = readClientHello(bytes)
      if (found.kind === 'more' && have < maxBytes) {
        chunks.splice(0, chunks.length, bytes)
        wanted = found.bytes
      } else if (found.kind === 'hello') {
        settle(found.hello)
        socket.unshift(bytes)
      } else {
        if (found.kind !== 'other') sendAlert(socket, alerts.decodeError)
        else if (/^[A-Z]{3}/.test(bytes.toString('latin1', 0, 3))) sayThatItIsTls(socket)
        else socket.destroy()
        settle(undefined)
      }
    }

    socket.on('readable', read)
    socket.on('end', end)
    socket.on('close', end)
  })
}

/** Refuses a handshake that has not begun: a fatal alert in the clear, and the end. */
export function sendAlert(socket: Socket, alert: number): void {
  socket.end(Buffer.from([21, 3, 3, 0, 2, 2, alert]))
  socket.resume()
  socket.once('finish', () => socket.destroySoon())
}

function sayThatItIsTls(socket: Socket): void {
  const message = 'This port speaks TLS. Begin the address with https://.'
  answerParserError(new AppError('invalid_request', message), socket)
}
