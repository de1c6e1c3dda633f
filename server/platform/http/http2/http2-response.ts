// An answer on an HTTP/2 stream, for handlers that know node:http's ServerResponse: what they use of that
// is here and means the same. Fields that are HTTP/1.1's alone are left out (RFC 9113, section 8.2.2).
import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { Stream } from 'node:stream'
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

/** Given to the stream at a time. */
const sliceBytes = 64 * 1024

export class Http2Answer extends Stream {
  readonly req: ApiRequest
  readonly socket: Socket
  readonly writable = true
  statusCode = 200
  finished = false
  destroyed = false
  closed = false
  readonly #stream: ServerHttp2Stream
  readonly #endConnection: () => void
  /** What was set one by one, by lower-case name. */
  #headers: OutgoingHttpHeaders = {}
  /** What writeHead made of it; it goes out with the first bytes, as on HTTP/1.1. */
  #head: OutgoingHttpHeaders | undefined
  #isFinished = false
  /** What waits for its turn. Node counts all that it was given against the connection's memory. */
  readonly #queue: Uint8Array[] = []

  /** `endConnection` is called where HTTP/1.1 would be told to close: after this answer. */
  constructor(request: ApiRequest, stream: ServerHttp2Stream, endConnection: () => void) {
    super()
    this.req = request
    this.socket = request.socket
    this.#stream = stream
    this.#endConnection = endConnection
    stream.on('drain', () => this.emit('drain'))
    stream.once('close', () => {
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
    if (chunk.length <= sliceBytes && this.#queue.length === 0) {
      return this.#stream.write(chunk, encoding)
    }
    this.#enqueue(chunk, encoding)
    return false
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
    if (body.length <= sliceBytes && this.#queue.length === 0) this.#stream.end(body, coding)
    else this.#enqueue(body, coding)
    return this
  }

  /** Breaks the answer off, in a way that the client cannot take for its end. The connection stays. */
  destroy(): this {
    if (this.destroyed || this.finished) return this
    this.destroyed = true
    breakOff(this.#stream)
    return this
  }

  #enqueue(chunk: string | Uint8Array, encoding: BufferEncoding): void {
    this.#queue.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)
    if (this.#queue.length === 1) this.#sendSlice()
  }

  #sendSlice(): void {
    const [first] = this.#queue
    if (!first || this.#isGone()) return
    const slice = first.subarray(0, sliceBytes)
    if (slice.length < first.length) this.#queue[0] = first.subarray(sliceBytes)
    else this.#queue.shift()
    const isLast = this.#queue.length === 0
    if (isLast && this.finished) this.#stream.end(slice)
    else
      this.#stream.write(slice, () => {
        if (this.#queue.length > 0) this.#sendSlice()
        else if (this.finished) this.#stream.end()
        else this.emit('drain')
      })
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
    const closes = fields.connection === 'close'
    for (const name of ofHttp1Alone) delete fields[name]
    this.#stream.respond(fields, { endStream: isOver || this.#hasNoBody() })
    if (closes) this.#endConnection()
  }

  #finish(): void {
    this.#isFinished = true
    this.emit('finish')
  }
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
