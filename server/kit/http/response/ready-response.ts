// A response to a GET as ready bytes: built once, sent many times, after authorization. It has a strong validator (RFC 9110,
// section 8.8.3), and is sent as 304 (section 15.4.5) and in content codings (section 8.4) where the client allows that.
import { hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { AppError } from '../../errors.ts'
import { chooseEncoding, type Encoding } from '../request/negotiate.ts'
import type { ApiRequest, RequestHead } from '../request/request-head.ts'
import { type PlainResponse, plainHead, sendPlain } from './plain-response.ts'

export type ReadyAnswer = ReturnType<typeof readyAnswer>

interface Representation {
  etag: string
  /** The body is text where it can be: Node sends head and text in one write, head and buffer in two. */
  ok: PlainResponse
  notModified: PlainResponse | undefined
}

const compressFromBytes = 1024

/**
 * Makes the answer. `text`: bytes are of a compressed format, such as a font, and are sent as they are. `headers` are names
 * and values in turn. `brotli`: compressed before, better than there is time for when it is asked for.
 */
export function readyAnswer(
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
  answer: ReadyAnswer,
): number {
  const { ifMatch } = request.head
  const failed = ifMatch === undefined ? undefined : failedCondition({ ifMatch }, answer.tag)
  if (failed) throw failed
  const plain = choosePlain(request.head, answer)
  sendPlain(request, response, plain)
  return plain.head.status
}

/** The response with status 200, or 304 when the client has it already. */
export function choosePlain(head: RequestHead, answer: ReadyAnswer): PlainResponse {
  const encoding =
    answer.bytes < compressFromBytes || typeof answer.text !== 'string'
      ? 'identity'
      : chooseEncoding(head.acceptEncoding)
  answer.representations[encoding] ??= represent(answer, encoding)
  const chosen = answer.representations[encoding]
  if (head.ifNoneMatch === undefined || !matches(head.ifNoneMatch, chosen.etag)) return chosen.ok
  chosen.notModified ??= notModified(answer, chosen.etag)
  return chosen.notModified
}

function notModified(answer: ReadyAnswer, etag: string): PlainResponse {
  const head = plainHead(304, validatingHeaders(answer, etag))
  return { head, body: undefined, isLatin1: true }
}

/** Of a response with the body or without. */
function validatingHeaders({ cacheControl, headers }: ReadyAnswer, etag: string): string[] {
  const [, , ...others] = headers
  return [
    ...['ETag', etag, 'Cache-Control', cacheControl, 'Vary', 'Accept-Encoding, Origin'],
    ...others,
  ]
}

function represent(answer: ReadyAnswer, encoding: Encoding): Representation {
  const { bytes, tag, text } = answer
  const ready = encoding === 'br' ? answer.brotli : undefined
  const body = encoding === 'identity' ? text : (ready ?? compress(toBuffer(text), encoding))
  const length = typeof body === 'string' ? bytes : body.length
  const etag = encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`
  const [type = '', mediaType = ''] = answer.headers
  const headers = [type, mediaType, 'Content-Length', `${length}`]
  if (encoding !== 'identity') headers.push('Content-Encoding', encoding)
  headers.push(...validatingHeaders(answer, etag))
  const isLatin1 = typeof body === 'string' && length === body.length
  return { etag, ok: { head: plainHead(200, headers), body, isLatin1 }, notModified: undefined }
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
