// A request that came as an HTTP/2 stream, as the handlers know requests: it has the fields that HTTP/1.1
// would have sent. `:authority` is its Host (RFC 9113, section 8.3.1), and a body without a length is
// chunked, so that no handler needs to look at the version.
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Connection } from '../listener/connections.ts'
import { ApiRequest } from '../request/request-head.ts'

/** Flow-control window of a stream and of a connection (RFC 9113, section 5.2). */
export const windowBytes = 256 * 1024
const maxDroppedBytes = windowBytes

export class Http2Request extends ApiRequest {
  readonly #stream: ServerHttp2Stream
  readonly #connection: Connection
  #isDropped = false
  #droppedBytes = 0

  /** `rawHeaders` are names and values in turn, the pseudo-fields among them. */
  constructor(
    socket: Socket,
    connection: Connection,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
  ) {
    super(socket)
    this.#stream = stream
    this.#connection = connection
    this.httpVersion = '2.0'
    this.httpVersionMajor = 2
    this.httpVersionMinor = 0
    this.method = headers[':method'] as string
    this.url = (headers[':path'] as string | undefined) ?? ''
    this.rawHeaders = fieldsOf(headers, rawHeaders, stream.endAfterHeaders)
    this.headers = withoutPseudoFields(headers, stream.endAfterHeaders)
    this.complete = stream.endAfterHeaders
    if (!this.complete) this.#receive(stream)
    stream.once('close', () => this.destroy(this.complete ? undefined : brokenOff()))
  }

  /**
   * Ignores the rest of the body. It is read, because the connection may have only so many bytes that belong to no
   * request (frame-check.ts); beyond `maxDroppedBytes` the stream is closed.
   */
  discard(): void {
    this.#isDropped = true
    this.#stream.resume()
  }

  override _read(): void {
    if (this.complete) this.push(null)
    else this.#stream.resume()
  }

  /** Paused until something reads. A stream that nothing listens to loses its data when it closes. */
  #receive(stream: ServerHttp2Stream): void {
    stream.pause()
    stream.on('data', (chunk: Buffer) => {
      this.#connection.requestBytes += chunk.length
      if (this.#isDropped) this.#drop(stream, chunk.length)
      else if (!this.push(chunk)) stream.pause()
    })
    stream.once('end', () => {
      // A stream that was reset ends, too; only an end of its own makes a body whole.
      if (stream.aborted || (stream.rstCode ?? 0) !== constants.NGHTTP2_NO_ERROR) return
      this.complete = true
      this.push(null)
    })
  }

  #drop(stream: ServerHttp2Stream, bytes: number): void {
    this.#droppedBytes += bytes
    if (this.#droppedBytes < maxDroppedBytes || stream.closed) return
    // What the client may have sent before it learns of this.
    this.#connection.requestBytes += windowBytes
    stream.close(constants.NGHTTP2_NO_ERROR)
  }

  /** The connection stays: it is not this request's alone. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.complete) {
      this.aborted = true
      this.emit('aborted')
    }
    // As on HTTP/1.1: an error only for code that reads the body.
    done(this.listenerCount('error') === 0 ? null : error)
  }
}

function brokenOff(): Error {
  return Object.assign(new Error('the request broke off'), { code: 'ECONNRESET' })
}

/** Names and values in turn, as HTTP/1.1 would have them. */
export function fieldsOf(
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  isWhole: boolean,
): string[] {
  const fields: string[] = []
  const authority = headers[':authority']
  // A Host field stays where there is one, so that who looks sees whether the two agree.
  if (typeof authority === 'string' && headers.host === undefined) fields.push('host', authority)
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.charCodeAt(0) !== 58 /* : */) fields.push(name, rawHeaders[i + 1] as string)
  }
  if (isChunked(headers, isWhole)) fields.push('transfer-encoding', 'chunked')
  return fields
}

function withoutPseudoFields(headers: IncomingHttpHeaders, isWhole: boolean): IncomingHttpHeaders {
  const fields: IncomingHttpHeaders = {}
  for (const name of Object.keys(headers)) if (name[0] !== ':') fields[name] = headers[name]
  fields.host ??= headers[':authority'] as string | undefined
  if (isChunked(headers, isWhole)) fields['transfer-encoding'] = 'chunked'
  return fields
}

function isChunked(headers: IncomingHttpHeaders, isWhole: boolean): boolean {
  return !isWhole && headers['content-length'] === undefined
}
