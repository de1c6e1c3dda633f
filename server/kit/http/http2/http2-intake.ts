// HTTP/2 on TLS sockets: streams become requests and responses like those of HTTP/1.1. Streams, headers, resets,
// PING and SETTINGS frames and idle time are limited for each connection.
import type { ServerResponse } from 'node:http'
import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Socket } from 'node:net'
import { AppError } from '../../errors.ts'
import { maxFields } from '../limits.ts'
import { type Connection, headBytes, hold, release } from '../listener/connections.ts'
import type { Intake } from '../listener/intake.ts'
import {
  clearCookies,
  connectRefused,
  headersTooLarge,
  isCookieOverflow,
  isOriginForm,
  requestLate,
} from '../listener/refusals.ts'
import { ApiRequest, hasTooManyFields, hostName, readHead } from '../request/request-head.ts'
import {
  type AnswerPlain,
  fieldsWriter,
  type PlainRequest,
  type PlainResponse,
  plainRequest,
  sendPlain,
} from '../response/ready-response.ts'
import { breakOff, Http2Response } from './http2-response.ts'

/** Flow-control window of a stream and of a connection (RFC 9113, section 5.2). */
const windowBytes = 256 * 1024
const maxDroppedBytes = windowBytes

/**
 * The request of an HTTP/2 stream, as handlers know requests: it has the headers that HTTP/1.1 would have sent.
 * `:authority` is its Host (RFC 9113, section 8.3.1), and a body without a length is chunked, so that no handler needs to
 * look at the version.
 */
class Http2Request extends ApiRequest {
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
   * request; beyond `maxDroppedBytes` the stream is closed.
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
function fieldsOf(
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

/** A larger body is sent in slices. */
const maxBodyBytes = 64 * 1024
/** Of all responses that the client of a connection has not taken; beyond that the ordinary way limits them. */
const maxHeldBytes = 256 * 1024

interface PlainStream {
  socket: Socket
  connection: Connection
  stream: ServerHttp2Stream
  headers: IncomingHttpHeaders
  rawHeaders: readonly string[]
}

/**
 * Answers plain GETs on HTTP/2 streams without the objects of a request and a response, by the same functions as on
 * HTTP/1.1 (listener/repeated-requests.ts). The returned function calls `goOn` for what is not answered here, with what was
 * taken from a rate limit.
 */
function answerPlainStreams({ batches, findPlain, limits }: Intake) {
  const writeFields = fieldsWriter()

  function send({ connection, stream }: PlainStream, request: PlainRequest, plain: PlainResponse) {
    if (stream.destroyed || stream.closed) return
    const { body, head, isLatin1 } = plain
    if (body !== undefined && body.length > maxBodyBytes) {
      const response = new Http2Response(request as ApiRequest, stream, connection, () => {})
      sendPlain(request, response as unknown as ServerResponse, plain)
      return
    }
    const fields = writeFields(request, head) as unknown as OutgoingHttpHeaders
    stream.respond(fields, { endStream: body === undefined })
    if (body === undefined) return
    const bytes = typeof body === 'string' ? Buffer.from(body, isLatin1 ? 'latin1' : 'utf8') : body
    hold(connection, bytes)
    stream.once('close', () => release(connection, bytes))
    stream.end(bytes)
  }

  function answer(stream: PlainStream, request: PlainRequest, find: AnswerPlain, goOn: () => void) {
    let isSent = false
    const end = (isAnswered: boolean): void => {
      if (!isAnswered && !isSent && !stream.stream.destroyed) goOn()
    }
    try {
      const answered = find(request, (plain) => {
        isSent = true
        send(stream, request, plain)
      })
      if (typeof answered === 'boolean') end(answered)
      else answered.then(end, () => end(false))
    } catch {
      end(false)
    }
  }

  return (given: PlainStream, goOn: (allowance?: PlainRequest['allowance']) => void): void => {
    const { connection, headers, socket, stream } = given
    const url = headers[':path'] ?? ''
    const isGet = headers[':method'] === 'GET' && stream.endAfterHeaders
    const isHeld = connection.heldBytes > maxHeldBytes - maxBodyBytes
    const isKnown = isGet && !isHeld && url.length <= limits.urlBytes && isOriginForm(url)
    if (!isKnown || hasTooManyFields(given.rawHeaders)) {
      goOn()
      return
    }
    const rawHeaders = fieldsOf(headers, given.rawHeaders, true)
    const head = readHead({ rawHeaders })
    if (head.hosts !== 1 || head.host === undefined || head.hasBody) {
      goOn()
      return
    }
    const { isSecure } = connection
    const request = plainRequest({ url, head, headers, rawHeaders, socket, isSecure })
    // Those of one turn of the event loop read the versions once.
    batches.add(() => {
      if (stream.destroyed) return undefined
      const find = findPlain(connection, request)
      if (find) answer(given, request, find, () => goOn(request.allowance))
      else goOn()
    })
  }
}

/** More than the flow-control window of a connection: bodies that were not read yet count as such frames. */
const maxCreditBytes = 384 * 1024
/** In each check, and for what was sent since the last one: a client opens its window for that. */
const creditOfCheck = 2 * 1024
const sentBytesPerByte = 16

/**
 * Limits the frames of a connection that carry no request: WINDOW_UPDATE, PRIORITY, DATA of a few bytes, unknown types.
 * Node does not report most of them, so that their bytes are counted: what was read, less the heads and bodies of requests.
 * Returns a check, to be called four times per second, which calls `end` for a connection with too many of them.
 */
function createFrameCheck(socket: Socket, connection: Connection, end: () => void): () => void {
  let credit = maxCreditBytes
  let otherBefore = 0
  let sentBefore = 0
  return () => {
    const sent = socket.bytesWritten
    const other = socket.bytesRead - connection.requestBytes
    const earned = creditOfCheck + (sent - sentBefore) / sentBytesPerByte
    credit = Math.min(maxCreditBytes, credit + earned - (other - otherBefore))
    otherBefore = other
    sentBefore = sent
    if (credit < 0) end()
  }
}

/** For each connection. */
const defaultHttp2Limits = {
  /** Concurrent streams. */
  streams: 100,
  /** Streams that a client may reset at once, and then per second. */
  resetBurst: 500,
  resetsPerSecond: 50,
  /** PING and SETTINGS frames in 10 seconds. */
  controlFrames: 200,
}
export type Http2Limits = typeof defaultHttp2Limits

const controlWindowMs = 10_000
const lingerMs = 1000

/** Passes its requests to `intake`. */
export function createHttp2Intake(intake: Intake, bounds: Http2Limits = defaultHttp2Limits) {
  const { clearsCookies, clients, limits, log } = intake
  const answerPlain = answerPlainStreams(intake)
  const sessions = new Set<ServerHttp2Session>()
  const options = {
    settings: {
      maxConcurrentStreams: bounds.streams,
      // More than our own limit, so that a request beyond that gets an error response.
      maxHeaderListSize: 4 * limits.headerBytes,
      initialWindowSize: windowBytes,
      enablePush: false,
    },
    // More than our own limit, too. The rest is not even kept: the stream is reset.
    maxHeaderListPairs: 3 * maxFields,
    // Megabytes: each stream holds a slice of its response.
    maxSessionMemory: 16,
    streamResetBurst: bounds.resetBurst,
    streamResetRate: bounds.resetsPerSecond,
    // A client that is not broken sends none.
    maxSessionInvalidFrames: 20,
  }

  function handleStream(given: PlainStream): void {
    const { connection, headers, rawHeaders, stream } = given
    const { session } = stream
    const bytes = headBytes(rawHeaders)
    connection.requestBytes += bytes
    // An error closes the stream; its request and response report that.
    stream.on('error', () => {})
    if (stream.destroyed || !session) return
    if (!clients.takeWaiting(connection.client)) {
      // The client may repeat it (RFC 9113, section 8.7).
      stream.close(constants.NGHTTP2_REFUSED_STREAM)
      return
    }
    connection.streams++
    connection.headBytes += bytes
    stream.once('close', () => {
      connection.streams--
      connection.headBytes -= bytes
      clients.releaseWaiting(connection.client)
    })
    stream.setTimeout(limits.stalledTimeoutMs, () => breakOff(stream))
    const problem = problemOf(headers, rawHeaders, limits.headerBytes)
    if (problem) handleRequest(given, problem)
    else answerPlain(given, (allowance) => handleRequest(given, undefined, allowance))
  }

  function handleRequest(
    given: PlainStream,
    problem?: AppError,
    allowance?: ApiRequest['allowance'],
  ): void {
    const { connection, headers, rawHeaders, socket, stream } = given
    const { session } = stream
    if (stream.destroyed || !session) return
    const request = new Http2Request(socket, connection, stream, headers, rawHeaders)
    request.allowance = allowance
    const own = new Http2Response(request, stream, connection, () => session.close())
    const response = own as unknown as ServerResponse
    const dropBody = (): void => {
      if (!request.complete) request.discard()
    }
    const refuse = (error: AppError): void => {
      if (own.headersSent) {
        breakOff(stream)
        return
      }
      own.prependOnceListener('finish', dropBody)
      intake.refuse(request, response, error)
    }
    const endLate = (): void => {
      // In the next turn: otherwise the reset is sent before the head of the response.
      const close = (): void => void setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR))
      own.prependOnceListener('finish', close)
      refuse(requestLate())
    }
    if (problem) {
      request.head = readHead(request)
      const isOverflow = problem.code === 'headers_too_large'
      if (!isOverflow || !isCookieOverflow(rawHeaders, request.url ?? '', limits)) {
        refuse(problem)
        return
      }
      const refuseWith = (isCleared: boolean): void => {
        if (isCleared) request.fixedHeaders = clearCookies
        refuse(problem)
      }
      Promise.resolve(clearsCookies(request.head.host ?? '')).then(refuseWith, () =>
        refuseWith(false),
      )
    } else intake.handle({ request, response, endLate, dropBody })
  }

  return {
    /** Starts HTTP/2 on a socket whose connection was added to `connections`. */
    accept(socket: Socket, connection: Connection) {
      const session = performServerHandshake(socket, options)
      sessions.add(session)
      watch(session, connection, bounds, limits.keepAliveTimeoutMs)
      session.setLocalWindowSize(windowBytes)
      connection.held = new Map()
      connection.check = createFrameCheck(socket, connection, () =>
        session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM),
      )
      session.on('stream', (stream, headers, _flags, rawHeaders) => {
        try {
          handleStream({ socket, connection, stream, headers, rawHeaders })
        } catch (err) {
          log.error({ event: 'http2.stream_failed', err }, 'a stream could not be handled')
          breakOff(stream)
        }
      })
      session.on('error', () => session.destroy())
      session.once('close', () => sessions.delete(session))
    },
    /** Sends GOAWAY on every connection; each closes when its streams have ended. */
    stop() {
      for (const session of sessions) session.close()
    },
  }
}

/** Closes a connection that is idle for too long or sends too many control frames. */
function watch(
  session: ServerHttp2Session,
  connection: Connection,
  bounds: Http2Limits,
  idleMs: number,
): void {
  let open = 0
  let windowEnds = 0
  let frames = 0
  const end = (): void => {
    session.close()
    setTimeout(() => session.destroy(), lingerMs).unref()
  }
  let idle = setTimeout(end, idleMs)
  session.on('stream', (stream) => {
    open++
    clearTimeout(idle)
    stream.once('close', () => {
      if (--open === 0 && !session.destroyed) idle = setTimeout(end, idleMs)
    })
  })
  const count = (): void => {
    connection.controlFrames++
    const now = performance.now()
    if (now > windowEnds) {
      windowEnds = now + controlWindowMs
      frames = 0
    }
    if (++frames > bounds.controlFrames)
      session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }
  session.on('ping', count)
  session.on('remoteSettings', count)
  session.once('close', () => clearTimeout(idle))
}

/** The error for a request that the HTTP/1 parser would refuse. */
function problemOf(
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  maxBytes: number,
): AppError | undefined {
  if (headers[':method'] === 'CONNECT') return connectRefused()
  let bytes = 0
  for (const text of rawHeaders) bytes += text.length
  if (bytes > maxBytes) return headersTooLarge(maxBytes)
  const { ':authority': authority, host } = headers
  if (authority !== undefined && host !== undefined && hostName(authority) !== hostName(host))
    return new AppError('invalid_request', 'The Host field is not what :authority says.')
  return undefined
}
