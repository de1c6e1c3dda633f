// An answer on an HTTP/2 stream, for handlers that know node:http's ServerResponse: what they use of that
// is here and means the same. Fields that are HTTP/1.1's alone are left out (RFC 9113, section 8.2.2).
import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { Stream } from 'node:stream'
import type { Connection } from '../listener/connections.ts'
import type { ApiRequest } from '../request/request-head.ts'

const ofHttp1Alone = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]

type HeaderValue = string | number | readonly string[]
type Headers = Record<string, HeaderValue | undefined> | readonly HeaderValue[]
type Done = () => void

/** Of a body. */
interface Part {
  chunk: string | Uint8Array
  readonly encoding: BufferEncoding
}

/** Given to a stream at a time. */
const sliceBytes = 64 * 1024
/** The same while the streams of the connection hold `maxHeldBytes`: each of them goes on, whichever is read. */
const smallSliceBytes = 4 * 1024
const maxHeldBytes = 256 * 1024

export class Http2Answer extends Stream {
  readonly req: ApiRequest
  readonly socket: Socket
  readonly writable = true
  statusCode = 200
  finished = false
  destroyed = false
  closed = false
  readonly #stream: ServerHttp2Stream
  readonly #connection: Connection
  readonly #endConnection: () => void
  /** What was set one by one, by lower-case name. */
  #headers: OutgoingHttpHeaders = {}
  /** What writeHead made of it; it goes out with the first bytes, as on HTTP/1.1. */
  #head: OutgoingHttpHeaders | undefined
  #isFinished = false
  /** What waits for its turn, as it was given: strings may be those of a cache. */
  readonly #queue: Part[] = []
  /** Bytes that were given to the stream and not sent. */
  #heldBytes = 0
  #isSending = false

  /** `endConnection` is called where HTTP/1.1 would be told to close: after this answer. */
  constructor(
    request: ApiRequest,
    stream: ServerHttp2Stream,
    connection: Connection,
    endConnection: () => void,
  ) {
    super()
    this.req = request
    this.socket = request.socket
    this.#stream = stream
    this.#connection = connection
    this.#endConnection = endConnection
    stream.once('close', () => {
      this.#release(this.#heldBytes)
      this.#queue.length = 0
      this.closed = true
      this.destroyed = true
      this.emit('close')
    })
  }

  get headersSent(): boolean {
    return this.#head !== undefined
  }

  get writableEnded(): boolean {
    return this.finished
  }

  get writableFinished(): boolean {
    return this.#isFinished
  }

  get writableLength(): number {
    return this.#stream.writableLength
  }

  get writableNeedDrain(): boolean {
    return this.#stream.writableNeedDrain
  }

  setHeader(name: string, value: HeaderValue): this {
    this.#headers[name.toLowerCase()] = value as string | string[]
    return this
  }

  getHeader(name: string): HeaderValue | undefined {
    return this.#headers[name.toLowerCase()]
  }

  getHeaders(): OutgoingHttpHeaders {
    return { ...this.#headers }
  }

  hasHeader(name: string): boolean {
    return this.getHeader(name) !== undefined
  }

  removeHeader(name: string): void {
    delete this.#headers[name.toLowerCase()]
  }

  writeContinue(): void {
    if (!this.#isGone() && !this.headersSent) this.#stream.additionalHeaders({ ':status': 100 })
  }

  /** Headers are an object, or names and values in turn; they replace those that were set before. */
  writeHead(status: number, ...given: (string | Headers)[]): this {
    if (this.#head) throw new Error('the head of this answer was written before')
    this.statusCode = status
    const headers = given.at(-1)
    const own = headers === undefined || typeof headers === 'string' ? {} : fieldsOf(headers)
    const fields: OutgoingHttpHeaders = { ...this.#headers, ...own }
    addFields(fields, this.req.fixedHeaders)
    fields[':status'] = status
    this.#head = fields
    return this
  }

  flushHeaders(): void {
    if (!this.#head) this.writeHead(this.statusCode)
    this.#respond(false)
  }

  /** False when there is no room: 'drain' follows, or 'close'. */
  write(chunk: string | Uint8Array, encoding: BufferEncoding = 'utf8'): boolean {
    if (this.finished || this.#isGone()) return false
    this.flushHeaders()
    if (this.#hasNoBody()) return true
    this.#enqueue({ chunk: bytesOf(chunk, encoding), encoding })
    return this.#queue.length === 0 && !this.#stream.writableNeedDrain
  }

  end(chunk?: unknown, encoding?: unknown, done?: Done | null): this {
    if (this.finished) return this
    this.finished = true
    const then = [chunk, encoding, done].find((one) => typeof one === 'function')
    if (then) this.once('finish', then as Done)
    if (!this.#head) this.writeHead(this.statusCode)
    if (this.#isGone()) return this
    const body = typeof chunk === 'string' || chunk instanceof Uint8Array ? chunk : ''
    const isOver = this.#hasNoBody() || (body.length === 0 && !this.#stream.headersSent)
    this.#respond(isOver)
    if (isOver) {
      process.nextTick(() => this.#finish())
      return this
    }
    this.#stream.once('finish', () => this.#finish())
    const coding = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'
    if (!this.#isSending && body.length <= this.#maxSlice()) {
      // Most responses: released when the stream has finished.
      this.#hold(body.length)
      this.#stream.end(bytesOf(body, coding))
      return this
    }
    this.#enqueue({ chunk: bytesOf(body, coding), encoding: coding })
    return this
  }

  /** Breaks the answer off, in a way that the client cannot take for its end. The connection stays. */
  destroy(): this {
    if (this.destroyed || this.finished) return this
    this.destroyed = true
    breakOff(this.#stream)
    return this
  }

  #enqueue(part: Part): void {
    this.#queue.push(part)
    if (!this.#isSending) this.#sendSlice()
  }

  /** Gives the stream the next slice; the one after it follows when this one is sent. */
  #sendSlice(): void {
    const [first] = this.#queue
    if (!first || this.#isGone()) return
    const slice = sliceOf(first, this.#maxSlice())
    if (slice.length < first.chunk.length) first.chunk = rest(first.chunk, slice.length)
    else this.#queue.shift()
    const bytes = slice.length
    this.#hold(bytes)
    this.#isSending = true
    const done = (): void => {
      this.#isSending = false
      this.#release(bytes)
      if (this.#queue.length > 0) this.#sendSlice()
      else if (!this.finished) this.emit('drain')
    }
    const isLast = this.#queue.length === 0 && this.finished
    if (isLast) this.#stream.end(slice, first.encoding, done)
    else this.#stream.write(slice, first.encoding, done)
  }

  #maxSlice(): number {
    return this.#connection.heldBytes < maxHeldBytes ? sliceBytes : smallSliceBytes
  }

  #hold(bytes: number): void {
    this.#connection.heldBytes += bytes
    this.#heldBytes += bytes
  }

  #release(bytes: number): void {
    const held = Math.min(bytes, this.#heldBytes)
    this.#heldBytes -= held
    this.#connection.heldBytes -= held
  }

  /** The head is all of it, whatever is written. */
  #hasNoBody(): boolean {
    const { statusCode } = this
    return this.req.method === 'HEAD' || statusCode === 204 || statusCode === 304
  }

  #isGone(): boolean {
    return this.#stream.destroyed || this.#stream.closed
  }

  #respond(isOver: boolean): void {
    const fields = this.#head
    if (!fields || this.#stream.headersSent || this.#isGone()) return
    // A connection that is wrong for one host (421) stays for its own.
    const closes = fields.connection === 'close' && this.statusCode !== 421
    for (const name of ofHttp1Alone) delete fields[name]
    this.#stream.respond(fields, { endStream: isOver || this.#hasNoBody() })
    if (closes) this.#endConnection()
  }

  #finish(): void {
    this.#isFinished = true
    this.#release(this.#heldBytes)
    this.emit('finish')
  }
}

/** The first bytes, or characters, of a part: whole code points. */
function sliceOf({ chunk }: Part, length: number): string | Uint8Array {
  if (chunk.length <= length) return chunk
  if (typeof chunk !== 'string') return chunk.subarray(0, length)
  const isPair = isHighSurrogate(chunk.charCodeAt(length - 1))
  return chunk.slice(0, isPair ? length + 1 : length)
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}

function rest(chunk: string | Uint8Array, from: number): string | Uint8Array {
  return typeof chunk === 'string' ? chunk.slice(from) : chunk.subarray(from)
}

/** Bytes, because Node 26.10 sends other memory for a short string that waits behind another one. */
function bytesOf(chunk: string | Uint8Array, encoding: BufferEncoding): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk
}

function fieldsOf(headers: Headers): OutgoingHttpHeaders {
  const fields: OutgoingHttpHeaders = {}
  if (Array.isArray(headers)) addFields(fields, headers)
  else
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) fields[name.toLowerCase()] = value as string | string[]
  return fields
}

/** Names and values in turn; a name may be there twice. */
function addFields(fields: OutgoingHttpHeaders, headers: readonly HeaderValue[]): void {
  for (let i = 0; i < headers.length; i += 2) {
    const name = String(headers[i]).toLowerCase()
    const value = headers[i + 1] as string
    const before = fields[name]
    fields[name] = before === undefined ? value : [before as string, value].flat()
  }
}

/**
 * Ends a stream so that its client cannot take what it has for all: with an error, for only then Node sends
 * no END_STREAM before the reset.
 */
export function breakOff(stream: ServerHttp2Stream): void {
  if (!stream.destroyed) stream.destroy(new Error('this answer is broken off'))
}
