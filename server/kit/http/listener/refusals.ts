// The errors of requests that reach no handler. What Node's HTTP parser refuses never becomes a request: it is answered here,
// on the bare socket, with the same Error body as everything else.
//
// Cookies that a neighbour of the same registrable domain has set can make every request to a site too large. The 431
// then deletes them (Clear-Site-Data, W3C). Only if cookies are at least half of what a head may have, within an
// address of legal length: otherwise a link with a long address could make a browser delete cookies.
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { AppError, errorBody } from '../../errors.ts'
import { defaultLimits, type Limits } from '../limits.ts'
import { currentResponseOf } from '../node-internals.ts'
import { hostName, nextRequestId } from '../request/request-head.ts'
import { closeAfterResponse } from './connections.ts'

/** The error for a host without a handler. */
export function nothingServed(host: string): AppError {
  return new AppError('route_not_found', `Nothing is served at the host ${JSON.stringify(host)}.`)
}

export const connectRefused = (): AppError =>
  new AppError('invalid_request', 'CONNECT is for proxies; this is none.')

export function requestLate(): AppError {
  const message = 'The request did not arrive in time. Send head and body without long pauses.'
  return new AppError('request_timeout', message)
}

export function headersTooLarge(maxBytes: number): AppError {
  const message = `The header fields are larger than ${maxBytes / 1024} KiB. Send fewer or shorter ones.`
  return new AppError('headers_too_large', message)
}

export function tooManyConnections(): AppError {
  const message = 'Too many connections are open. Close some, and try again in a moment.'
  return new AppError('unavailable', message, {
    headers: { Connection: 'close', 'Retry-After': '5' },
  })
}

export function misdirected(host: string): AppError {
  return new AppError(
    'misdirected_request',
    `This connection is not for the host ${JSON.stringify(host)}. Open another one.`,
    { headers: { Connection: 'close' } },
  )
}

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
  const response =
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n` +
    `Cache-Control: no-store\r\nVary: Origin\r\nDate: ${new Date().toUTCString()}\r\n` +
    `X-Request-Id: ${nextRequestId()}\r\n${linesOf(extraHeaders)}\r\n${body}`
  // Nothing more of it is read: the rest of a late body must not be acted on after this response.
  socket.pause()
  afterResponses(socket, () => closeAfterResponse(socket, response))
  return error
}

/** Calls once every request that arrived whole has its response: responses go out in the order of requests. */
function afterResponses(socket: Duplex, then: () => void): void {
  const current = currentResponseOf(socket)
  if (current && (current.req.complete || current.headersSent))
    current.once('close', () => afterResponses(socket, then))
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
      return requestLate()
    case 'HPE_HEADER_OVERFLOW':
      return isRequestLine(thrown.rawPacket)
        ? new AppError('uri_too_long', 'The address is too long. Shorten the query.')
        : headersTooLarge(defaultLimits.headerBytes)
    default:
      return new AppError('invalid_request', 'The request is not well-formed HTTP/1.1.')
  }
}

/** True when it is the first line that is too long. */
function isRequestLine(packet: Buffer | undefined): boolean {
  return packet !== undefined && /^[A-Z]+ [^\r\n]{8192}/.test(packet.toString('latin1', 0, 8300))
}

const originForm = /^\/[!"$-~]*$/

/** Origin form without a fragment (RFC 9112, section 3.2.1). */
export const isOriginForm = (target: string): boolean => originForm.test(target)

export const clearCookies = ['Clear-Site-Data', '"cookies"']

/** Whether cookies make the head of a parsed request too large. `raw`: names and values in turn. */
export function isCookieOverflow(
  raw: readonly string[],
  url: string,
  { headerBytes, urlBytes }: Limits,
): boolean {
  let otherBytes = 0
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string
    if (name.length === 6 && name.toLowerCase() === 'cookie') continue
    otherBytes += name.length + (raw[i + 1] as string).length
  }
  return url.length <= urlBytes && otherBytes <= headerBytes / 2
}

/**
 * The host of a request over HTTP/1 whose cookies overflow; undefined if there is none, or the packet does not show it.
 * `packet`: what was read last when the parser gave up. `host`: the one of the TLS connection, whose packets are too
 * small to show the whole head. Without TLS, only hosts that browsers trust: behind a TLS proxy, or below localhost.
 */
export function hostOfCookieOverflow(
  packet: Buffer | undefined,
  host: string | undefined,
  { headerBytes, urlBytes }: Limits,
): string | undefined {
  if (!packet) return undefined
  const [first = '', ...lines] = packet.toString('latin1', 0, headerBytes).split('\r\n')
  const target = /^[A-Z]+ (\/\S*) HTTP\/1\.[01]$/.exec(first)?.[1]
  if (target === undefined) {
    const isCookies = first.length > minCookieBytes && first.includes('; ')
    return isCookies && !/ HTTP\/1\.[01]$/.test(first) ? host : undefined
  }
  let cookieBytes = 0
  let isForwarded = false
  const hosts: (string | undefined)[] = []
  for (const line of lines) {
    // The packet shows a request before the one that overflows.
    if (line === '') return undefined
    const end = line.indexOf(':')
    const name = line.slice(0, end).toLowerCase()
    if (name === 'cookie') cookieBytes += line.length
    else if (name === 'host') hosts.push(hostName(line.slice(end + 1).trim()))
    else if (name === 'x-forwarded-proto') isForwarded = /^\s*https\b/i.test(line.slice(end + 1))
  }
  const [named] = hosts
  if (hosts.length !== 1 || target.length > urlBytes || cookieBytes < headerBytes / 2)
    return undefined
  if (host !== undefined) return host
  return isForwarded || named?.endsWith('.localhost') ? named : undefined
}

/** Of a packet that begins within the Cookie field. */
const minCookieBytes = 1024
