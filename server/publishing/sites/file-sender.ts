// Responds to a request for a file: preconditions (RFC 9110, section 13.2.2), one range (section 14.2), the encoding
// that the client prefers, and the bytes, at once if they are few, otherwise in pieces.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createFairSemaphore, type FairSemaphore } from '#kit/fair-semaphore.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import {
  matches,
  matchesStrongly,
  type PlainRequest,
  type PlainResponse,
  sendPlain,
} from '#kit/http/response/ready-response.ts'
import type { FileSource } from '../objects/read-objects.ts'
import { locate } from './file-bytes.ts'
import { withId } from './response-headers.ts'
import {
  type Body,
  bodyOf,
  chooseStoredEncoding,
  type FileCache,
  type Form,
  formOf,
  type PublishedFile,
  rangeHeaders,
} from './site.ts'
import { sendSiteError } from './site-error.ts'

/** Large files are sent in pieces, so that a slow client occupies the memory of only one piece. */
const pieceBytes = 1024 * 1024
const maxPieceBytes = 4 * pieceBytes

/**
 * The size of the pieces of a form. SQLite reads the whole value to find a piece, so that large forms are read in
 * fewer, larger pieces.
 */
function pieceBytesFor(length: number): number {
  return Math.min(Math.max(pieceBytes, Math.ceil(length / 16)), maxPieceBytes)
}

/**
 * Resolves when this response is the next one that its connection sends. A client may send many requests on one
 * connection; responses that are created too early would occupy memory.
 */
async function waitForTurn(response: ServerResponse): Promise<void> {
  if (response.req.httpVersionMajor === 2) return await waitForSlot(response)
  if (response.socket !== null || isClosed(response)) return
  // If the connection closes before, nothing more happens with it, and this is collected with it.
  await new Promise<void>((resolve) => response.once('socket', () => resolve()))
}

/** Maximum number of concurrent large responses on an HTTP/2 connection. */
const maxConcurrentResponses = 8

const slotsByConnection = new WeakMap<Socket, FairSemaphore>()

/** Resolves when the response has a slot, which it holds until it is closed, or when it is closed. */
async function waitForSlot(response: ServerResponse): Promise<void> {
  if (isClosed(response)) return
  const { socket } = response.req
  const places =
    slotsByConnection.get(socket) ?? createFairSemaphore({ maxPermits: maxConcurrentResponses })
  slotsByConnection.set(socket, places)
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  const release = await places.acquire('all', closed).catch(() => undefined)
  if (isClosed(response)) release?.()
  else if (release) response.once('close', release)
}

/** Whether the response was closed, or its connection: Node closes the responses that wait on it later, or never. */
function isClosed(response: ServerResponse): boolean {
  return response.destroyed || response.closed || response.req.socket.destroyed
}

/**
 * Sends `length` bytes, starting at `from`. `begin` sends the headers once the first piece has been read. Stops when
 * the client disconnects.
 */
async function sendPieces(
  response: ServerResponse,
  from: number,
  length: number,
  pieceLength: number,
  read: (from: number, length: number) => Promise<Uint8Array | undefined>,
  begin: () => void,
): Promise<void> {
  const end = from + length
  let at = from
  /** Not part of the loop, which would keep the piece while the next one is read. */
  const write = (piece: Uint8Array | undefined): boolean | undefined => {
    if (piece === undefined || isClosed(response)) return undefined
    if (at === from) begin()
    at += piece.length
    if (at < end) return response.write(piece)
    response.end(piece)
    return true
  }
  while (at < end && !isClosed(response)) {
    const hasRoom = await read(at, Math.min(pieceLength, end - at)).then(write)
    if (hasRoom === undefined) return
    if (!hasRoom) await drained(response)
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}

type BulkLane = <T>(read: () => Promise<T>) => Promise<T>

const maxPauseMs = 100

/**
 * Runs large reads one at a time, in the order of the calls. They block SQLite, and with it the event loop, for
 * milliseconds: each is followed by a pause of the same length, at most `maxPauseMs`, in which small files are sent.
 */
export function createBulkLane(): BulkLane {
  const reads = createFairSemaphore({ maxPermits: 1 })
  return async (read) => {
    const release = await reads.acquire('all')
    const start = performance.now()
    try {
      return await read()
    } finally {
      const tookMs = performance.now() - start
      if (tookMs < 1) release()
      else setTimeout(release, Math.min(tookMs, maxPauseMs))
    }
  }
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

export function createFileSender(source: FileSource, cache: FileCache) {
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
        return await locate(source, file.facts.hash, form.encoding, at, bytes)
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
    const start = () => locate(source, hash, form.encoding, 0, form.length)
    const located = await (form.length > pieceBytes ? lane(start) : start())
    const body = bodyOf(await located())
    if (cache.grow(file, form.length)) form.body = body
    return body
  }

  /** The response for a file that is in memory, if no range of it was requested. */
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

  /** Sends the file, or the response that its preconditions require. Returns the status. */
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
  const requestedRange = request.method === 'GET' ? askedRange(request.rawHeaders) : undefined
  if (!requestedRange) return undefined
  // A strong comparison: the client's part must be of this form of this content. A date never matches.
  const { ifRange, range } = requestedRange
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

interface AskedRange {
  range: string
  ifRange: string | undefined
}

/** The Range and If-Range headers of a request; repeated headers are joined to one list. */
export function askedRange(rawHeaders: readonly string[]): AskedRange | undefined {
  let range: string | undefined
  let ifRange: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length !== 5 && name.length !== 8) continue
    const lower = name.toLowerCase()
    const value = rawHeaders[i + 1] as string
    if (lower === 'range') range = range === undefined ? value : `${range}, ${value}`
    else if (lower === 'if-range') ifRange = ifRange === undefined ? value : `${ifRange}, ${value}`
  }
  return range === undefined ? undefined : { range, ifRange }
}

/** Both ends are included, as in Content-Range. */
interface ByteRange {
  first: number
  last: number
}

/**
 * The range that a Range header (RFC 9110, section 14.2) requests of `size` bytes. `unsatisfiable` is a 416. Undefined means
 * to send the whole file: a header that is malformed, in another unit or has several ranges may be ignored.
 */
export function readRange(field: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, list] = /^[ \t]*bytes=(.*)$/i.exec(field) ?? []
  // Elements of a list may be empty (section 5.6.1).
  const parts = list?.split(',').map((part) => part.trim()) ?? []
  const [part, ...others] = parts.filter((one) => one !== '')
  if (part === undefined || others.length > 0) return undefined
  const [, from = '', to = ''] = /^([0-9]*)-([0-9]*)$/.exec(part) ?? []
  if (from === '') return to === '' ? undefined : lastBytes(Number(to), size)
  const first = Number(from)
  const last = to === '' ? Number.POSITIVE_INFINITY : Number(to)
  if (last < first) return undefined
  if (first >= size) return 'unsatisfiable'
  return { first, last: Math.min(last, size - 1) }
}

function lastBytes(count: number, size: number): ByteRange | 'unsatisfiable' | undefined {
  if (count === 0) return 'unsatisfiable'
  // The last bytes of an empty file are empty, which Content-Range cannot express.
  if (size === 0) return undefined
  return { first: Math.max(0, size - count), last: size - 1 }
}
