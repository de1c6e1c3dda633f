// The way of a request from its parsed head to the handler of its host, whatever it came by: plain HTTP,
// or HTTP/1.1 and HTTP/2 over TLS. Everything that is refused here is in the Error shape.
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { AppError, unavailable } from '../../errors.ts'
import type { Metrics } from '../../metrics.ts'
import { gauge } from '../../tally.ts'
import { ApiRequest, hostName, readHead } from '../request/request-head.ts'
import { sendError } from '../response/send-response.ts'
import { type Connection, type Connections, createConnections } from './connections.ts'
import { createDeferred } from './deferred.ts'
import { answerParserError } from './parser-errors.ts'

export type Handler = (request: ApiRequest, response: ServerResponse) => void

/** Where host and path of a request lead; undefined: nowhere. The request's head has been read. */
export type Route = (host: string, path: string, request: ApiRequest) => Handler | undefined

export interface Limits {
  headerBytes: number
  urlBytes: number
  /** For the head to arrive. */
  headersTimeoutMs: number
  /** For a body to arrive, unless its handler gives it longer. */
  bodyTimeoutMs: number
  /** For a connection with a request on it, when nothing moves on it in either direction. */
  stalledTimeoutMs: number
  /** For an idle connection. */
  keepAliveTimeoutMs: number
  /** On each port. */
  connections: number
  /** Of a body that nobody wants, before its connection is cut. */
  unreadBodyBytes: number
}

/** One request with its answer. */
export interface Exchange {
  request: ApiRequest
  response: ServerResponse
  /** Ends it with a 408: its body did not arrive in time. */
  endLate(): void
  /** Does away with what is left of a body that nobody wants, once the answer is out. */
  dropBody(): void
}

export interface Intake {
  /** Takes HTTP/1 from the sockets that it is given as connections. */
  readonly http1: Server
  readonly limits: Limits
  readonly metrics: Metrics
  readonly connections: Connections
  /** Leads a request to its handler. */
  handle(exchange: Exchange): void
  /** Requests wait until this has been called; after 5 s they get a 503. */
  serve(route: Route): void
  /** From now on each answer on HTTP/1 closes its connection; the idle ones are closed. */
  stop(): void
}

/** No body may take longer, whatever its handler says. */
const longestRequestMs = 60 * 60_000

/** What Node would say of a request that is late. */
class LateBody extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
}

export function createIntake(metrics: Metrics, limits: Limits): Intake {
  const connections = createConnections()
  gauge(
    metrics.registry,
    'animal_store_open_connections',
    'Connections that are open, on all ports.',
    () => connections.size,
  )
  const route = createDeferred<Route>()
  let stopping = false

  /** While stopping, each answer closes its connection, also to a request that had begun before. */
  class Answer extends ServerResponse<IncomingMessage> {
    override writeHead(...given: unknown[]): this {
      if (stopping) this.shouldKeepAlive = false
      const { fixedHeaders } = this.req as ApiRequest
      if (fixedHeaders.length === 0) return super.writeHead(...(given as [number]))
      const headers = typeof given.at(-1) === 'object' ? given.pop() : []
      return super.writeHead(...(given as [number]), withFixed(headers, fixedHeaders))
    }
  }

  const http1 = createServer<typeof ApiRequest, typeof ServerResponse>({
    IncomingMessage: ApiRequest,
    ServerResponse: Answer as typeof ServerResponse,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    // Bodies have time-outs of their own, below: an upload may take longer than a few fields of JSON.
    requestTimeout: longestRequestMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersTimeoutMs),
    // The check is ours, so that the answer is in our shape.
    requireHostHeader: false,
  })
  // A client that does not read its answer would keep it, and its connection, for ever.
  http1.timeout = limits.stalledTimeoutMs
  http1.maxConnections = limits.connections
  // Node would pass over the fields after the 2000th; that there are not too many, headerBytes sees to.
  http1.maxHeadersCount = 0

  function handle(exchange: Exchange): void {
    const { request, response } = exchange
    request.startedAt = performance.now()
    const connection = connections.of(request.socket)
    request.isSecure = connection?.isSecure === true
    request.head = readHead(request)
    const leading = route.value()
    if (leading instanceof Promise) {
      leading.then(
        (begun) => lead(exchange, connection, begun),
        (error) => refuse(request, exchange.response, error),
      )
    } else {
      lead(exchange, connection, leading)
    }
    if (request.head.hasBody && !request.complete) limitWait(exchange)
    // Before Node's own listener, which would drop what is unread without counting it.
    if (request.head.hasBody) response.prependOnceListener('finish', exchange.dropBody)
  }

  function lead(
    { request, response }: Exchange,
    connection: Connection | undefined,
    to: Route,
  ): void {
    const go = (isAdmitted: boolean): void => {
      const { host = '' } = request.head
      if (!isAdmitted) throw misdirected(host)
      if (connection) connections.serves(connection, host)
      findHandler(to, request)(request, response)
    }
    guarded(request, response, () => {
      readTarget(request)
      const admitted = connection?.admits?.(request.head.host ?? '') ?? true
      if (typeof admitted === 'boolean') return go(admitted)
      admitted.then(
        (isAdmitted) => guarded(request, response, () => go(isAdmitted)),
        (error) => refuse(request, response, unavailable(error)),
      )
    })
  }

  function guarded(request: ApiRequest, response: ServerResponse, work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      refuse(request, response, error)
    }
  }

  function refuse(request: ApiRequest, response: ServerResponse, error: AppError): void {
    countRefusal(error)
    sendError(request, response, error)
  }

  function countRefusal({ status }: AppError): void {
    metrics.observeRequest({ environment: 'none', operation: 'none', status }, 0)
  }

  function limitWait({ endLate, request }: Exchange): void {
    const late = (): void => {
      const left = (request.bodyWithinMs ?? 0) - (performance.now() - request.startedAt)
      if (request.complete) return
      if (left > 0) timer = setTimeout(late, left)
      else endLate()
    }
    let timer = setTimeout(late, limits.bodyTimeoutMs)
    request.once('end', () => clearTimeout(timer))
    request.once('close', () => clearTimeout(timer))
  }

  /** Mends url and host of the head to what the target says; throws where it says nothing good. */
  function readTarget(request: ApiRequest): void {
    const { head } = request
    let url = request.url as string
    if (url.length > limits.urlBytes) {
      throw new AppError(
        'uri_too_long',
        `The address is longer than ${limits.urlBytes} bytes. Shorten the query.`,
      )
    }
    if (url.charCodeAt(0) !== 47 /* / */) {
      // Absolute form (RFC 9112, section 3.2.2): its authority wins over the Host field.
      const target = /^https?:\/\/([^/?#]+)(.*)$/i.exec(url)
      if (!target) throw new AppError('invalid_request', 'The request target is not a path.')
      head.host = hostName(target[1] as string)
      url = target[2]?.startsWith('/') ? target[2] : `/${target[2]}`
      request.url = url
    }
    if (head.hosts > 1 || (head.hosts === 0 && request.httpVersion !== '1.0')) {
      throw new AppError('invalid_request', 'Send exactly one Host field (RFC 9112, section 3.2).')
    }
    if (head.transferCoding !== undefined && !/^chunked$/i.test(head.transferCoding)) {
      throw new AppError('invalid_request', 'Transfer-Encoding may be chunked, and nothing else.')
    }
  }

  function findHandler(to: Route, request: ApiRequest): Handler {
    const { host = '' } = request.head
    const handler = to(host, request.url as string, request)
    if (handler) return handler
    throw nothingServed(host)
  }

  const handleHttp1 = (request: ApiRequest, response: ServerResponse): void => {
    const { socket } = request
    handle({
      request,
      response,
      endLate: () => http1.emit('clientError', new LateBody(), socket),
      dropBody: () => limitUnread(request, limits.unreadBodyBytes),
    })
  }
  http1.on('connection', (socket) => {
    if (connections.of(socket)) return
    connections.add({ socket, isSecure: false, admits: undefined, hosts: new Set() })
  })
  http1.on('request', handleHttp1)
  // Without this Node would ask for the body before we know whether we want it (RFC 9110, section 10.1.1).
  http1.on('checkContinue', handleHttp1)
  // An expectation that we do not know may be ignored (same section).
  http1.on('checkExpectation', handleHttp1)
  const refuseBare = (thrown: Error, socket: Duplex): void => {
    const error = answerParserError(thrown, socket)
    if (error) countRefusal(error)
  }
  http1.on('clientError', refuseBare)
  http1.on('connect', (_, socket) => {
    refuseBare(new AppError('invalid_request', 'CONNECT is for proxies; this is none.'), socket)
  })

  return {
    http1,
    limits,
    metrics,
    connections,
    handle,
    serve: route.begin,
    stop() {
      stopping = true
      http1.closeIdleConnections()
    },
  }
}

/** Headers in either form that writeHead takes, with further ones. */
function withFixed(headers: unknown, fixed: string[]): string[] | Record<string, string> {
  if (Array.isArray(headers)) return [...headers, ...fixed]
  const more: Record<string, string> = {}
  for (let i = 0; i < fixed.length; i += 2) more[fixed[i] as string] = fixed[i + 1] as string
  return { ...(headers as object), ...more }
}

/** What is said of a host where nothing is. */
export function nothingServed(host: string): AppError {
  return new AppError('route_not_found', `Nothing is served at the host ${JSON.stringify(host)}.`)
}

function misdirected(host: string): AppError {
  return new AppError(
    'misdirected_request',
    `This connection is not for the host ${JSON.stringify(host)}. Open another one.`,
    { headers: { Connection: 'close' } },
  )
}

/** Reads an unwanted body to its end, to keep the connection, unless it is too long for that. */
function limitUnread(request: ApiRequest, bytes: number): void {
  if (request.complete) return
  let left = bytes
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.socket.destroy()
  })
  // Makes Node leave it to us: it drops only a body that nobody has begun to read.
  request.read(0)
}
