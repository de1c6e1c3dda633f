// Responds to a request for a file: preconditions (RFC 9110, section 13.2.2), one range (section 14.2), the encoding
// that the client prefers, and the bytes, at once if they are few, otherwise in pieces.
import type { ServerResponse } from 'node:http'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import {
  type PlainRequest,
  type PlainResponse,
  sendPlain,
} from '#kit/http/response/plain-response.ts'
import { matches, matchesStrongly } from '#kit/http/response/ready-response.ts'
import type { FileSource } from '../objects/read-objects.ts'
import { createBulkLane } from './bulk-lane.ts'
import { chooseStoredEncoding } from './choose-stored-encoding.ts'
import { locatePiece, locateWhole } from './file-bytes.ts'
import type { FileCache } from './file-cache.ts'
import { askedRange, type ByteRange, readRange } from './read-range.ts'
import { withId } from './response-headers.ts'
import { isClosed, pieceBytes, pieceBytesFor, sendPieces, waitForTurn } from './send-pieces.ts'
import { type Body, bodyOf, type Form, formOf, type PublishedFile, rangeHeaders } from './site.ts'
import { sendSiteError } from './site-error.ts'

interface FileSender {
  /** The response for a file that is in memory, if no range of it was requested. */
  findPlain(request: PlainRequest, file: PublishedFile): PlainResponse | undefined
  /** Sends the file, or the response that its preconditions require. Returns the status. */
  send(request: ApiRequest, response: ServerResponse, file: PublishedFile): number | Promise<number>
}

/** A larger form is never cached. */
const maxKeptBytes = 8 * 1024 * 1024
/** Smaller forms are read immediately, even if earlier responses of the connection are pending. */
const maxUnqueuedBytes = 64 * 1024
/** Of a part in memory, a response on HTTP/2 copies so much at a time: many of a connection may have no window. */
const maxCopyBytes = 64 * 1024

interface Part {
  status: number
  headers: readonly string[]
  form: Form
  from: number
  length: number
}

export function createFileSender(source: FileSource, cache: FileCache): FileSender {
  const lane = createBulkLane()

  function sendPart(
    request: ApiRequest,
    response: ServerResponse,
    file: PublishedFile,
    { form, from, headers, length, status }: Part,
  ): number | Promise<number> {
    const most = request.httpVersionMajor === 2 ? maxCopyBytes : pieceBytes
    const isAtOnce = length <= (length === form.length ? pieceBytes : most)
    const begin = () => response.writeHead(status, withId(headers, request.head.requestId))
    const sendAtOnce = (body: Body) => begin().end(cut(body, from, length), 'latin1')

    async function sendLater(): Promise<void> {
      if (form.length > maxUnqueuedBytes) await waitForTurn(response)
      if (isClosed(response)) return
      const isKept = form.length <= maxKeptBytes
      if (isKept && isAtOnce) {
        const body = form.body ?? (await load(file, form))
        if (!isClosed(response)) sendAtOnce(body)
        return
      }
      if (isKept && form.body === undefined) await load(file, form)
      await sendPieces(response, from, length, pieceBytesFor(form.length), readOn, begin)
    }

    /** If the cache drops the file meanwhile, reading continues from the database. */
    async function readOn(at: number, left: number): Promise<Uint8Array | undefined> {
      // Of the first piece, nothing may be taken.
      const bytes = form.body !== undefined || at === from ? Math.min(most, left) : left
      if (form.body !== undefined) return cut(form.body, at, bytes) as Buffer
      const located = await lane(async () => {
        if (isClosed(response)) return undefined
        return await locatePiece(source, file.facts.hash, form.encoding, at, bytes)
      })
      return await located?.()
    }

    if (request.method === 'HEAD' || length === 0) begin().end()
    else if (form.body !== undefined && isAtOnce) sendAtOnce(form.body)
    else return sendLater().then(() => status)
    return status
  }

  /** Concurrent requests share one read. */
  function load(file: PublishedFile, form: Form): Promise<Body> {
    form.loading ??= loadNow(file, form).finally(() => {
      form.loading = undefined
    })
    return form.loading
  }

  async function loadNow(file: PublishedFile, form: Form): Promise<Body> {
    const { hash } = file.facts
    const locate = () => locateWhole(source, hash, form.encoding, form.length)
    const located = await (form.length > pieceBytes ? lane(locate) : locate())
    const body = bodyOf(await located())
    if (cache.grow(file, form.length)) form.body = body
    return body
  }

  function findPlain(
    { head, rawHeaders }: PlainRequest,
    file: PublishedFile,
  ): PlainResponse | undefined {
    const isFound = file.status === 200
    if (isFound && (head.ifMatch !== undefined || askedRange(rawHeaders))) return undefined
    const form = formOf(file, chooseStoredEncoding(head.acceptEncoding, file.encodings))
    const { body, etag, length, notModified, ok } = form
    if (isFound && head.ifNoneMatch !== undefined && matches(head.ifNoneMatch, etag)) {
      return { head: notModified, body: undefined, isLatin1: true }
    }
    if (typeof body !== 'string' || length > pieceBytes) return undefined
    return { head: ok, body, isLatin1: true }
  }

  function send(
    request: ApiRequest,
    response: ServerResponse,
    file: PublishedFile,
  ): number | Promise<number> {
    const { head } = request
    const plain = findPlain(request, file)
    if (plain) {
      sendPlain(request, response, plain)
      return plain.head.status
    }
    if (file.status === 404) {
      const form = formOf(file, chooseStoredEncoding(head.acceptEncoding, file.encodings))
      return sendPart(request, response, file, whole(form))
    }
    if (head.ifMatch !== undefined && !matchesStrongly(head.ifMatch, file.tag)) {
      return sendSiteError(request, response, 'precondition')
    }
    const range = rangeOf(request, file)
    const coding = range ? 'identity' : chooseStoredEncoding(head.acceptEncoding, file.encodings)
    const form = formOf(file, coding)
    if (head.ifNoneMatch !== undefined && matches(head.ifNoneMatch, form.etag)) {
      response.writeHead(304, withId(form.notModified.headers, head.requestId))
      response.end()
      return 304
    }
    if (range === undefined) return sendPart(request, response, file, whole(form))
    const { size } = file.facts
    if (range === 'unsatisfiable') {
      return sendSiteError(request, response, 'range', { 'Content-Range': `bytes */${size}` })
    }
    const { first, last } = range
    const headers = rangeHeaders(form, first, last)
    const part = { status: 206, headers, form, from: first, length: last - first + 1 }
    return sendPart(request, response, file, part)
  }

  return { findPlain, send }
}

/** The range of the uncompressed form to send; undefined for the whole file, in any form. */
function rangeOf(
  request: ApiRequest,
  file: PublishedFile,
): ByteRange | 'unsatisfiable' | undefined {
  // Ranges apply only to GET.
  const asked = request.method === 'GET' ? askedRange(request.rawHeaders) : undefined
  if (!asked) return undefined
  // A strong comparison: the client's part must be of this form of this content. A date never matches.
  const { ifRange, range } = asked
  if (ifRange !== undefined && ifRange !== formOf(file, 'identity').etag) return undefined
  return readRange(range, file.facts.size)
}

function whole(form: Form): Part {
  const { headers, status } = form.ok
  return { status, headers, form, from: 0, length: form.length }
}

function cut(body: Body, from: number, length: number): Body {
  if (length === body.length) return body
  if (typeof body === 'string') return body.slice(from, from + length)
  // A copy, because a view would keep the whole buffer in memory while a slow client reads.
  return Buffer.from(body.subarray(from, from + length))
}
