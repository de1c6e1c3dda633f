// What Node's HTTP parser refuses never becomes a request: it is answered here, on the bare socket,
// with the same Error body as everything else.
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { AppError, errorBody } from '../errors.ts'
import { nextRequestId } from './request-head.ts'

interface ParserError extends Error {
  code?: string
  rawPacket?: Buffer
}

/** Answers and closes. Gives the error that was sent, or undefined when nobody was there to read it. */
export function answerParserError(thrown: ParserError, socket: Duplex): AppError | undefined {
  if (thrown.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return undefined
  }
  const error = toParserError(thrown)
  const body = errorBody(error)
  socket.end(
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n` +
      `Cache-Control: no-store\r\nX-Request-Id: ${nextRequestId()}\r\n\r\n${body}`,
  )
  return error
}

function toParserError(thrown: ParserError): AppError {
  switch (thrown.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError(
        'request_timeout',
        'The request did not arrive in time. Send head and body without long pauses.',
      )
    case 'HPE_HEADER_OVERFLOW':
      return isRequestLine(thrown.rawPacket)
        ? new AppError('uri_too_long', 'The address is too long. Shorten the query.')
        : new AppError(
            'headers_too_large',
            'The header fields are larger than 32 KiB. Send fewer or shorter ones.',
          )
    default:
      return new AppError('invalid_request', 'The request is not well-formed HTTP/1.1.')
  }
}

/** True when the limit was met before the first line had ended. */
function isRequestLine(packet: Buffer | undefined): boolean {
  return (
    packet !== undefined &&
    /^[A-Z]+ /.test(packet.toString('latin1', 0, 16)) &&
    !packet.includes('\r\n')
  )
}
