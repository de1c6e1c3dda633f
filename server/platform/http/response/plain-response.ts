// A whole response to a plain GET, which goes out in either of two ways: through Node's response, or as its bytes
// (listener/repeated-requests.ts). Handlers make it without knowing which.
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Awaitable } from '../../database/database.ts'
import type { ApiRequest } from '../request/request-head.ts'

/** What handlers of plain GETs use of a request. */
export type PlainRequest = Pick<
  ApiRequest,
  | 'method'
  | 'url'
  | 'head'
  | 'rawHeaders'
  | 'headers'
  | 'socket'
  | 'isSecure'
  | 'startedAt'
  | 'extraHeaders'
  | 'fixedHeaders'
  | 'allowance'
  | 'environment'
  | 'operation'
>

export interface PlainResponse {
  status: number
  /** Names and values in turn: one array for all responses of a kind, so that its text is made once. */
  headers: readonly string[]
  /** Strings have no other characters than those of Latin-1, if `isLatin1`. */
  body: string | Buffer | undefined
  isLatin1: boolean
}

/**
 * Answers a plain GET, or gives false, with nothing sent: it has to go the ordinary way. `send` is called at most once.
 */
export type AnswerPlain = (
  request: PlainRequest,
  send: (response: PlainResponse) => void,
) => Awaitable<boolean>

/** Sends it through Node's response. */
export function sendPlain(
  request: PlainRequest,
  response: ServerResponse,
  { body, headers, isLatin1, status }: PlainResponse,
): void {
  response.writeHead(status, [
    ...headers,
    ...request.extraHeaders,
    'X-Request-Id',
    request.head.requestId,
  ])
  if (request.method === 'HEAD' || body === undefined) response.end()
  else response.end(body, isLatin1 ? 'latin1' : 'utf8')
}

const firstLines = new WeakMap<readonly string[], string>()

/** Its head as bytes, in Latin-1, as Node writes it on a connection that stays open. */
export function writeHead(
  { extraHeaders, fixedHeaders, head }: PlainRequest,
  { headers, status }: PlainResponse,
  keepAliveSeconds: number,
): string {
  let text = firstLines.get(headers)
  if (text === undefined) {
    text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fieldLines(headers)}`
    firstLines.set(headers, text)
  }
  const more = extraHeaders.length > 0 ? fieldLines(extraHeaders) : ''
  const fixed = fixedHeaders.length > 0 ? fieldLines(fixedHeaders) : ''
  return `${text}${more}X-Request-Id: ${head.requestId}\r\n${fixed}Date: ${dateNow()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`
}

function fieldLines(headers: readonly string[]): string {
  let text = ''
  for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`
  return text
}

let second = 0
let date = ''

/** RFC 9110, section 5.6.7. */
function dateNow(): string {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    date = new Date(now * 1000).toUTCString()
  }
  return date
}
