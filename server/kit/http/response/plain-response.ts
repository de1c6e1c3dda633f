// A whole response to a plain GET, which is sent in either of two ways: through Node's response, or as its bytes
// (listener/repeated-requests.ts). Handlers create it without knowing which.
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

const none: string[] = []

/** A GET of which nobody has noted anything yet. */
export function plainRequest(
  read: Pick<PlainRequest, 'url' | 'head' | 'headers' | 'rawHeaders' | 'socket' | 'isSecure'>,
): PlainRequest {
  return {
    ...read,
    method: 'GET',
    startedAt: performance.now(),
    extraHeaders: none,
    fixedHeaders: none,
    allowance: undefined,
    environment: 'none',
    operation: 'none',
  }
}

type PlainHead = ReturnType<typeof plainHead>

export interface PlainResponse {
  readonly head: PlainHead
  /** Strings have no other characters than those of Latin-1, if `isLatin1`. */
  readonly body: string | Buffer | undefined
  readonly isLatin1: boolean
}

/** What responses with the same status and header fields share. `headers`: names and values in turn. */
export const plainHead = (status: number, headers: readonly string[]) => ({
  status,
  headers,
  /** The same as it is sent on HTTP/1.1, once it was. */
  text: undefined as string | undefined,
  /** The same as it is sent on HTTP/2, once it was. */
  fields: undefined as readonly string[] | undefined,
})

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
  { body, head, isLatin1 }: PlainResponse,
): void {
  response.writeHead(head.status, [
    ...head.headers,
    ...request.extraHeaders,
    'X-Request-Id',
    request.head.requestId,
  ])
  if (request.method === 'HEAD' || body === undefined) response.end()
  else response.end(body, isLatin1 ? 'latin1' : 'utf8')
}

/** Gives a function that returns a response's head in Latin-1, as Node writes it on a connection that stays open. */
export function headWriter(keepAliveSeconds: number) {
  const dateNow = dateWriter()
  /** Fields that Node adds, and the empty line. */
  const end = `\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`

  return ({ extraHeaders, fixedHeaders, head }: PlainRequest, plain: PlainHead): string => {
    plain.text ??= `HTTP/1.1 ${plain.status} ${STATUS_CODES[plain.status]}\r\n${fieldLines(plain.headers)}`
    let text = plain.text
    if (extraHeaders.length > 0) text += fieldLines(extraHeaders)
    text += `X-Request-Id: ${head.requestId}\r\n`
    if (fixedHeaders.length > 0) text += fieldLines(fixedHeaders)
    return `${text}Date: ${dateNow()}${end}`
  }
}

/** Gives a function that returns a response's fields, names and values in turn, for HTTP/2. */
export function fieldsWriter() {
  const dateNow = dateWriter()
  return ({ extraHeaders, fixedHeaders, head }: PlainRequest, plain: PlainHead): string[] => {
    plain.fields ??= [':status', `${plain.status}`, ...inLowerCase(plain.headers)]
    const fields = plain.fields.concat(
      extraHeaders.length > 0 ? inLowerCase(extraHeaders) : none,
      'x-request-id',
      head.requestId,
    )
    if (fixedHeaders.length > 0) fields.push(...inLowerCase(fixedHeaders))
    fields.push('date', dateNow())
    return fields
  }
}

const inLowerCase = (headers: readonly string[]): string[] =>
  headers.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text))

/** The date of now, made once a second (RFC 9110, section 5.6.7). */
function dateWriter(): () => string {
  let second = 0
  let date = ''
  return () => {
    const now = Math.floor(Date.now() / 1000)
    if (now !== second) {
      second = now
      date = new Date(now * 1000).toUTCString()
    }
    return date
  }
}

function fieldLines(headers: readonly string[]): string {
  let text = ''
  for (let i = 0; i < headers.length; i += 2) text += `${headers[i]}: ${headers[i + 1]}\r\n`
  return text
}
