// Takes each request from its parsed head to the handler of its host: plain HTTP, or HTTP/1.1 and HTTP/2 over
// TLS. Every refusal has the Error shape.
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { AppError, unavailable } from '../../errors.ts'
import type { Metrics } from '../../metrics.ts'
import { gauge } from '../../tally.ts'
import { ApiRequest, hostName, readHead } from '../request/request-head.ts'
import { sendError } from '../response/send-response.ts'
import { type Connection, type Connections, createConnections } from './connections.ts'
import { createDeferred, type Deferred } from './deferred.ts'
import { answerParserError } from './parser-errors.ts'

export type Handler = (request: ApiRequest, response: ServerResponse) => void

/** Gives the handler of a host and path, undefined for none. The request's head has been read. */
export type Route = (host: string, path: string, request: ApiRequest) => Handler | undefined

export const defaultLimits = {
  headerBytes: 32 * 1024,
  urlBytes: 8 * 1024,
  /** For the head to arrive. */
  headersTimeoutMs: 10_000,
  /** For a body to arrive, unless its handler gives it longer. */
  bodyTimeoutMs: 30_000,
  /** For a connection with a request on it, when nothing moves on it in either direction. */
  stalledTimeoutMs: 30_000,
  /** For an idle connection. */
  keepAliveTimeoutMs: 72_000,
  /** On each port. */
  connections: 20_000,
  /** Of an unread body, before its connection is destroyed. Twice the maximum of an import: its error is delivered. */
  unreadBodyBytes: 2 * 1024 * 1024,
}
export type Limits = typeof defaultLimits

/** One request with its answer. */
export interface Exchange {
  request: ApiRequest
  response: ServerResponse
  /** Ends it with a 408: its body did not arrive in time. */
  endLate(): void
  /** Discards the rest of an unread body after the response. */
  dropBody(): void
}

/** No body may take longer, whatever its handler allows. */
const longestRequestMs = 60 * 60_000

/** Has the code of Node's own error for a late request. */
class LateBody extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
}

type Http1Server = Server<typeof ApiRequest, typeof ServerResponse>

/** What the functions below share: one for each intake. */
interface IntakeContext {
  readonly limits: Limits
  readonly metrics: Metrics
  readonly connections: Connections
  /** Requests wait for it until the program has started. */
  readonly route: Deferred<Route>
  isStopping: boolean
}

export type Intake = ReturnType<typeof createIntake>

export function createIntake(metrics: Metrics, limits: Limits) {
  const connections = createConnections()
  gauge(
    metrics.registry,
    'animal_store_open_connections',
    'Connections that are open, on all ports.',
    () => connections.size,
  )
  const route = createDeferred<Route>()
  const intake: IntakeContext = { limits, metrics, connections, route, isStopping: false }
  const http1 = createHttp1Server(intake)
  takeHttp1(intake, http1)
  return {
    /** Reads HTTP/1 from the sockets that it is given as connections. */
    http1,
    limits,
    metrics,
    connections,
    /** Passes a request to its handler. */
    handle: (exchange: Exchange) => handleExchange(intake, exchange),
    /** Requests wait until this has been called; after 5 s they get a 503. */
    serve: route.resolve,
    /** From now on each response on HTTP/1 closes its connection; idle connections are closed. */
    stop() {
      intake.isStopping = true
      http1.closeIdleConnections()
    },
  }
}

/** The HTTP/1 server, without listeners. */
function createHttp1Server(intake: IntakeContext): Http1Server {
  const { limits } = intake

  /** While stopping, each response closes its connection, even if the request began before. */
  class Answer extends ServerResponse<IncomingMessage> {
    override writeHead(...given: unknown[]): this {
      if (intake.isStopping) this.shouldKeepAlive = false
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
    // limitBodyTime has shorter time-outs: an upload may take longer than a few fields of JSON.
    requestTimeout: longestRequestMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersTimeoutMs),
    // readTarget checks it, so that the response is in our shape.
    requireHostHeader: false,
  })
  // A client that does not read its response would keep it, and its connection, forever.
  http1.timeout = limits.stalledTimeoutMs
  http1.maxConnections = limits.connections
  // Node would ignore the headers after the 2000th; headerBytes limits their number.
  http1.maxHeadersCount = 0
  return http1
}

/** Handles what the HTTP/1 server emits. */
function takeHttp1(intake: IntakeContext, http1: Http1Server): void {
  const { connections, limits } = intake

  const handleRequest = (request: ApiRequest, response: ServerResponse): void => {
    const { socket } = request
    handleExchange(intake, {
      request,
      response,
      endLate: () => http1.emit('clientError', new LateBody(), socket),
      dropBody: () => limitUnread(request, limits.unreadBodyBytes),
    })
  }
  const refuseBare = (thrown: Error, socket: Duplex): void => {
    const error = answerParserError(thrown, socket)
    if (error) countRefusal(intake, error)
  }

  http1.on('connection', (socket) => {
    if (connections.of(socket)) return
    connections.add({ socket, isSecure: false, admits: undefined, hosts: new Set() })
  })
  http1.on('request', handleRequest)
  // Without this Node would ask for the body before its handler decides to read it (RFC 9110, section 10.1.1).
  http1.on('checkContinue', handleRequest)
  // An unknown expectation may be ignored (same section).
  http1.on('checkExpectation', handleRequest)
  http1.on('clientError', refuseBare)
  http1.on('connect', (_, socket) => {
    refuseBare(new AppError('invalid_request', 'CONNECT is for proxies; this is none.'), socket)
  })
}

function handleExchange(intake: IntakeContext, exchange: Exchange): void {
  const { request, response } = exchange
  request.startedAt = performance.now()
  const connection = intake.connections.of(request.socket)
  request.isSecure = connection?.isSecure === true
  request.head = readHead(request)
  const route = intake.route.value()
  if (route instanceof Promise) {
    route.then(
      (started) => admitRequest(intake, exchange, connection, started),
      (error) => refuse(intake, exchange, error),
    )
  } else {
    admitRequest(intake, exchange, connection, route)
  }
  if (request.head.hasBody && !request.complete) limitBodyTime(exchange, intake.limits)
  // Before Node's own listener, which would drop what is unread without counting it.
  if (request.head.hasBody) response.prependOnceListener('finish', exchange.dropBody)
}

/** Checks the target, and whether the connection may ask for its host. */
function admitRequest(
  intake: IntakeContext,
  exchange: Exchange,
  connection: Connection | undefined,
  route: Route,
): void {
  const { head } = exchange.request
  try {
    readTarget(exchange.request, intake.limits.urlBytes)
    const admitted = connection?.admits?.(head.host ?? '') ?? true
    if (typeof admitted === 'boolean') {
      callHandler(exchange, route, admitted)
      return
    }
    admitted.then(
      (isAdmitted) => {
        try {
          callHandler(exchange, route, isAdmitted)
        } catch (error) {
          refuseAppError(intake, exchange, error)
        }
      },
      (error) => refuse(intake, exchange, unavailable(error)),
    )
  } catch (error) {
    refuseAppError(intake, exchange, error)
  }
}

/** Throws an AppError where the host is not admitted, or nothing is served at it. */
function callHandler({ request, response }: Exchange, route: Route, isAdmitted: boolean): void {
  const { host = '' } = request.head
  if (!isAdmitted) throw misdirected(host)
  const handler = route(host, request.url as string, request)
  if (!handler) throw nothingServed(host)
  handler(request, response)
}

/** Throws every other error again: it is a bug. */
function refuseAppError(intake: IntakeContext, exchange: Exchange, error: unknown): void {
  if (!(error instanceof AppError)) throw error
  refuse(intake, exchange, error)
}

function refuse(intake: IntakeContext, { request, response }: Exchange, error: AppError): void {
  countRefusal(intake, error)
  sendError(request, response, error)
}

function countRefusal({ metrics }: IntakeContext, { status }: AppError): void {
  metrics.observeRequest({ environment: 'none', operation: 'none', status }, 0)
}

function limitBodyTime({ endLate, request }: Exchange, { bodyTimeoutMs }: Limits): void {
  const late = (): void => {
    const left = (request.bodyWithinMs ?? 0) - (performance.now() - request.startedAt)
    if (request.complete) return
    if (left > 0) timer = setTimeout(late, left)
    else endLate()
  }
  let timer = setTimeout(late, bodyTimeoutMs)
  request.once('end', () => clearTimeout(timer))
  request.once('close', () => clearTimeout(timer))
}

/** Checks the target, and corrects the request's url and the head's host to it. Throws an AppError. */
function readTarget(request: ApiRequest, maxUrlBytes: number): void {
  const { head } = request
  let url = request.url as string
  if (url.length > maxUrlBytes) {
    throw new AppError(
      'uri_too_long',
      `The address is longer than ${maxUrlBytes} bytes. Shorten the query.`,
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

/** Adds headers to those in either form that writeHead takes. */
function withFixed(headers: unknown, fixed: string[]): string[] | Record<string, string> {
  if (Array.isArray(headers)) return [...headers, ...fixed]
  const more: Record<string, string> = {}
  for (let i = 0; i < fixed.length; i += 2) more[fixed[i] as string] = fixed[i + 1] as string
  return { ...(headers as object), ...more }
}

/** The error for a host without a handler. */
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
  // Node drops a body itself only if nothing has begun to read it.
  request.read(0)
}
