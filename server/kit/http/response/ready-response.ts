// A response to a GET as ready bytes: built once, sent many times, after authorization. It has a strong validator (RFC 9110,
// section 8.8.3), and is sent as 304 (section 15.4.5) and in content codings (sections 8.4 and 12) where the client allows
// that; results of negotiation are cached, since clients send the same few values.
//
// What goes out for a plain GET is sent in either of two ways: through Node's response, or as its bytes
// (listener/repeated-requests.ts). Handlers create it without knowing which.
import { hash } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import Negotiator from 'negotiator'
import type { Awaitable } from '../../database/database.ts'
import { AppError } from '../../errors.ts'
import type { ApiRequest, RequestHead } from '../request/request-head.ts'

export type ReadyResponse = ReturnType<typeof readyResponse>

interface Representation {
  etag: string
  /** The body is text where it can be: Node sends head and text in one write, head and buffer in two. */
  ok: PlainResponse
  /** Of a response with the body or without. */
  validators: string[]
  notModified: PlainResponse | undefined
}

const compressFromBytes = 1024

/**
 * Makes the response. `text`: bytes are of a compressed format, such as a font, and are sent as they are. `headers` are names
 * and values in turn. `brotli`: compressed before, better than there is time for when it is asked for.
 */
export function readyResponse(
  text: string | Buffer,
  contentType: string,
  headers: readonly string[],
  cacheControl = 'private, no-cache',
  brotli?: Buffer,
) {
  return {
    /** Without those that the encoding or the request decide. */
    headers: ['Content-Type', contentType, 'X-Content-Type-Options', 'nosniff', ...headers],
    representations: {} as Partial<Record<Encoding, Representation>>,
    text,
    bytes: Buffer.byteLength(text),
    tag: entityTag(text),
    cacheControl,
    brotli,
  }
}

/** A strong validator: equal exactly when the text is. */
export function entityTag(text: string | Buffer): string {
  return hash('sha256', text, 'base64url').slice(0, 27)
}

/**
 * Sends it with status 200, or 304 when the client has it already. Gives the status. Throws `precondition_failed` for an
 * If-Match that does not match.
 */
export function sendReady(
  request: ApiRequest,
  response: ServerResponse,
  ready: ReadyResponse,
): number {
  const { ifMatch } = request.head
  const failed = ifMatch === undefined ? undefined : failedCondition({ ifMatch }, ready.tag)
  if (failed) throw failed
  const plain = choosePlain(request.head, ready)
  sendPlain(request, response, plain)
  return plain.head.status
}

/** The response with status 200, or 304 when the client has it already. */
export function choosePlain(head: RequestHead, response: ReadyResponse): PlainResponse {
  const encoding =
    response.bytes < compressFromBytes || typeof response.text !== 'string'
      ? 'identity'
      : chooseEncoding(head.acceptEncoding)
  response.representations[encoding] ??= represent(response, encoding)
  const chosen = response.representations[encoding]
  if (head.ifNoneMatch === undefined || !matches(head.ifNoneMatch, chosen.etag)) return chosen.ok
  chosen.notModified ??= {
    head: plainHead(304, chosen.validators),
    body: undefined,
    isLatin1: true,
  }
  return chosen.notModified
}

function represent(response: ReadyResponse, encoding: Encoding): Representation {
  const { bytes, tag, text } = response
  const ready = encoding === 'br' ? response.brotli : undefined
  const body = encoding === 'identity' ? text : (ready ?? compress(toBuffer(text), encoding))
  const length = typeof body === 'string' ? bytes : body.length
  const etag = encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`
  const [type = '', mediaType = '', ...others] = response.headers
  const headers = [type, mediaType, 'Content-Length', `${length}`]
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding)
  const caching = ['Cache-Control', response.cacheControl, 'Vary', 'Accept-Encoding, Origin']
  const validators = ['ETag', etag, ...caching, ...others]
  const head = plainHead(200, [...headers, ...validators])
  const isLatin1 = typeof body === 'string' && length === body.length
  return { etag, ok: { head, body, isLatin1 }, validators, notModified: undefined }
}

const toBuffer = (text: string | Buffer): Buffer =>
  typeof text === 'string' ? Buffer.from(text) : text

function compress(body: Buffer, encoding: 'gzip' | 'br'): Buffer {
  if (encoding === 'gzip') return gzipSync(body)
  return brotliCompressSync(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    },
  })
}

/** What a request demands of the record that it is about: the values of both headers. */
export type Conditions = Partial<Pick<RequestHead, 'ifMatch' | 'ifNoneMatch'>>

/** The entity tags of a record, one for each encoding. */
const tagsOf = (tag: string) => ['', '-gzip', '-br'].map((suffix) => `"${tag}${suffix}"`)

/** The error if a record with this tag does not meet the conditions of a write (RFC 9110, section 13.2.2). */
export function failedCondition(
  { ifMatch, ifNoneMatch }: Conditions,
  tag: string,
  what = 'record',
): AppError | undefined {
  if (ifMatch !== undefined && !matchesStrongly(ifMatch, tag)) {
    const message = `The ${what} has changed since the ETag of If-Match. Fetch it again.`
    return new AppError('precondition_failed', message)
  }
  const isExcluded =
    ifNoneMatch !== undefined && tagsOf(tag).some((etag) => matches(ifNoneMatch, etag))
  if (!isExcluded) return undefined
  return new AppError('precondition_failed', `The ${what} is one that If-None-Match excludes.`)
}

/** If-None-Match compares weakly (RFC 9110, section 13.1.2). */
export function matches(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  const tags: string[] = ifNoneMatch.match(/"[^"]*"/g) ?? []
  return tags.includes(etag)
}

/** If-Match compares strongly (RFC 9110, section 13.1.1); the tag of any encoding stands for the record. */
export function matchesStrongly(ifMatch: string, tag: string): boolean {
  if (ifMatch.trim() === '*') return true
  const tags: string[] = ifMatch.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tagsOf(tag).some((etag) => tags.includes(etag))
}

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

/** What the published types leave out: our order decides between encodings that the client likes equally. */
type PreferringNegotiator = {
  encodings(offered: string[], options: { preferred: string[] }): string[]
}

export type Encoding = 'identity' | 'gzip' | 'br'

/** True when the Accept field leaves `mediaType` possible. No field, or an empty one, accepts everything. */
export function accepts(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined || accept === '*/*') return true
  return cached(acceptable, `${mediaType} ${accept}`, () => {
    // Our types have no parameters: only the quality says whether one is wanted.
    const plain = accept.replace(/;\s*(?!q\s*=)[\w-]+\s*=\s*("[^"]*"|[^;,"\s]*)/gi, '')
    if (plain.trim() === '') return true
    return new Negotiator({ headers: { accept: plain } }).mediaTypes([mediaType]).length > 0
  })
}

/** The best encoding we have for an Accept-Encoding field. */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  if (acceptEncoding === undefined) return 'identity'
  return cached(encodings, acceptEncoding, () => {
    const offered = ['br', 'gzip', 'identity']
    const negotiator = new Negotiator({
      headers: { 'accept-encoding': acceptEncoding },
    }) as PreferringNegotiator
    return (negotiator.encodings(offered, { preferred: offered })[0] ?? 'identity') as Encoding
  })
}

const acceptable = new Map<string, boolean>()
const encodings = new Map<string, Encoding>()
const maxCached = 500

function cached<T>(cache: Map<string, T>, key: string, find: () => T): T {
  const before = cache.get(key)
  if (before !== undefined) return before
  const value = find()
  if (cache.size >= maxCached) cache.clear()
  if (key.length < 1000) cache.set(key, value)
  return value
}
