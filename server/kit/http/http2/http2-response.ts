// A response on an HTTP/2 stream, for handlers that know ServerResponse of node:http: it has what they use of that, with the
// same meaning. Headers that only HTTP/1.1 has are left out (RFC 9113, section 8.2.2).
import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { Stream } from 'node:stream'
import { type Connection, hold, release } from '../listener/connections.ts'
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

type Chunk = string | Uint8Array

/** Of a body. */
interface Part {
  readonly chunk: Chunk
  readonly encoding: BufferEncoding
  /** Where what was not given to the stream begins. */
  at: number
}

/** Given to a stream at a time. */
const sliceBytes = 64 * 1024
/** Of texts, while the connection holds `maxHeldBytes`: its streams share a text, and each goes on, whichever is read. */
const smallSliceBytes = 4 * 1024
const maxHeldBytes = 256 * 1024

export class Http2Response extends Stream {
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
  /** What was not sent; a short text as it was given, because it may be that of a cache. */
  readonly #queue: Part[] = []
  #isSending = false

  /** `endConnection` is called where HTTP/1.1 would be told to close: after this response. */
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
      for (const { chunk } of this.#queue.splice(0)) release(connection, chunk)
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

  setHeader(name: string, value: HeaderValue): this {
    this.#headers[name.toLowerCase()] = value as string | string[]
    return this
  }

  writeContinue(): void {
    if (!this.#isGone() && !this.headersSent) this.#stream.additionalHeaders({ ':status': 100 })
  }

  /** Headers are an object, or names and values in turn; they replace those that were set before. */
  writeHead(status: number, ...chunk: (string | Headers)[]): this {
    if (this.#head) throw new Error('the head of this response was written before')
    this.statusCode = status
    const headers = chunk.at(-1)
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
    this.#enqueue(chunk, encoding)
    return !this.#stream.writableNeedDrain && this.#hasGivenAll()
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
      process.nextTick(() => this.emit('finish'))
      return this
    }
    this.#stream.once('finish', () => this.emit('finish'))
    const coding = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'
    if (!this.#isSending && body.length <= this.#maxSlice(body)) {
      // Most responses.
      const bytes = bytesOf(body, coding)
      hold(this.#connection, bytes)
      this.#stream.end(bytes, () => release(this.#connection, bytes))
    } else this.#enqueue(body, coding)
    return this
  }

  /** Breaks the response off, in a way that the client cannot take for its end. The connection stays. */
  destroy(): this {
    if (this.destroyed || this.finished) return this
    this.destroyed = true
    breakOff(this.#stream)
    return this
  }

  #enqueue(given: Chunk, encoding: BufferEncoding): void {
    const chunk = given.length > sliceBytes ? bytesOf(given, encoding) : given
    hold(this.#connection, chunk)
    this.#queue.push({ chunk, encoding, at: 0 })
    if (!this.#isSending) this.#sendSlice()
  }

  /** Gives the stream the next slice; the one after it follows when this one is sent. */
  #sendSlice(): void {
    const [part] = this.#queue
    if (!part || this.#isGone()) return
    const { chunk, encoding } = part
    const slice = sliceOf(part, this.#maxSlice(chunk))
    part.at += slice.length
    const bytes = bytesOf(slice, encoding)
    const isCopy = bytes !== slice
    if (isCopy) hold(this.#connection, bytes)
    this.#isSending = true
    // Called in any case: of a stream that was destroyed, after its close.
    const done = (): void => {
      this.#isSending = false
      if (isCopy) release(this.#connection, bytes)
      // Until then all of its memory was held.
      if (part.at === chunk.length && this.#queue.shift()) release(this.#connection, chunk)
      if (this.#queue.length > 0) this.#sendSlice()
      else if (!this.finished) this.emit('drain')
    }
    if (this.finished && this.#hasGivenAll()) this.#stream.end(bytes, done)
    else this.#stream.write(bytes, done)
  }

  #hasGivenAll(): boolean {
    return this.#queue.every(({ at, chunk }) => at === chunk.length)
  }

  #maxSlice(chunk: Chunk): number {
    const isShared = typeof chunk === 'string' && this.#connection.heldBytes >= maxHeldBytes
    return isShared ? smallSliceBytes : sliceBytes
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
}

/** The next bytes, or characters, of a part: whole code points. */
function sliceOf({ at, chunk }: Part, length: number): Chunk {
  if (typeof chunk !== 'string') return chunk.subarray(at, at + length)
  const code = chunk.charCodeAt(at + length - 1)
  const isHighSurrogate = code >= 0xd800 && code < 0xdc00
  return chunk.slice(at, at + length + (isHighSurrogate ? 1 : 0))
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
  if (!stream.destroyed) stream.destroy(new Error('this response is broken off'))
}
