// What Node's HTTP parser refuses never becomes a request: it is answered here, on the bare socket,
// with the same Error body as everything else.
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { AppError, errorBody } from '../../errors.ts'
import { nextRequestId } from '../request/request-head.ts'
import { closeAfterResponse } from './body-limits.ts'

export interface ParserError extends Error {
  code?: string
  rawPacket?: Buffer
}

/** Whether the fields of a head are too large, rather than its first line. */
export function isHeaderOverflow({ code, rawPacket }: ParserError): boolean {
  return code === 'HPE_HEADER_OVERFLOW' && !isRequestLine(rawPacket)
}

/** The origin in what the parser read last. Another request's would do no harm: an error tells nobody anything. */
export function originIn(packet: Buffer | undefined): string | undefined {
  return packet && /\nOrigin:[ \t]*([!-~]+)/i.exec(packet.toString('latin1'))?.[1]
}

/**
 * Answers and closes, after whatever is still to be answered on the connection. Gives the error, or
 * undefined when there is no client to read it. `extraHeaders`: names and values in turn.
 */
export function answerParserError(
  thrown: ParserError,
  socket: Duplex,
  extraHeaders: readonly string[] = [],
): AppError | undefined {
  if (thrown.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return undefined
  }
  const error = toParserError(thrown)
  const body = errorBody(error)
  const answer =
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n` +
    `Cache-Control: no-store\r\nVary: Origin\r\nDate: ${new Date().toUTCString()}\r\n` +
    `X-Request-Id: ${nextRequestId()}\r\n${linesOf(extraHeaders)}\r\n${body}`
  // Nothing more of it is read: the rest of a late body must not be acted on after this answer.
  socket.pause()
  afterAnswers(socket, () => closeAfterResponse(socket, answer))
  return error
}

/** Calls once every request that arrived whole has its answer: answers go out in the order of requests. */
function afterAnswers(socket: Duplex, then: () => void): void {
  // Where Node keeps the answer whose turn it is.
  const current = (socket as { _httpMessage?: ServerResponse | null })._httpMessage
  if (current && (current.req.complete || current.headersSent))
    current.once('close', () => afterAnswers(socket, then))
  else then()
}

function linesOf(headers: readonly string[]): string {
  let lines = ''
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`
  return lines
}

function toParserError(thrown: ParserError): AppError {
  if (thrown instanceof AppError) return thrown
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

/** True when it is the first line that is too long. */
function isRequestLine(packet: Buffer | undefined): boolean {
  return packet !== undefined && /^[A-Z]+ [^\r\n]{8192}/.test(packet.toString('latin1', 0, 8300))
}
