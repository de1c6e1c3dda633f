// The plain HTTP listener, and the intake of all ports: it takes each request from its parsed head to the handler of its
// host, plain HTTP, or HTTP/1.1 and HTTP/2 over TLS. Every refusal has the Error body. What a handler throws or rejects with
// ends its request, never the process. Requests that arrive before the process has started wait for a while.
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { AddressInfo, Server as NetServer, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Awaitable } from '../../database/database.ts'
import { type AppError, retryLater, toAppError, unavailable } from '../../errors.ts'
import { createFailureLog, type FailureLog } from '../../log.ts'
import { gauge, type Metrics } from '../../metrics.ts'
import type { AddressList } from '../../network/addresses.ts'
import { within } from '../../promises.ts'
import { defaultLimits, type Limits } from '../limits.ts'
import { ApiRequest, readHead, readTarget } from '../request/request-head.ts'
import { createRequestBatches, type RequestBatches } from '../request-batches.ts'
import type { AnswerPlain, PlainRequest } from '../response/ready-response.ts'
import { corsHeaders, sendError, sendOnce } from '../response/send-response.ts'
import { createClients } from './clients.ts'
import {
  admits,
  type Connection,
  type Connections,
  countHeldBytes,
  createConnection,
  createConnections,
  type Exchange,
  isIdle,
  limitBodyTime,
  limitUnread,
  watchReaders,
} from './connections.ts'
import { createPipelines } from './pipelines.ts'
import {
  answerParserError,
  clearCookies,
  connectRefused,
  hostOfCookieOverflow,
  isHeaderOverflow,
  misdirected,
  nothingServed,
  originIn,
  type ParserError,
  tooManyConnections,
} from './refusals.ts'
import { repeatedRequests, watchRepeated } from './repeated-requests.ts'

export type Listener = Awaited<ReturnType<typeof listen>>

/** Binds the port. Rejects with the system's error (EADDRINUSE, EACCES …). */
export async function listen(
  port: number,
  address: string,
  metrics: Metrics,
  limits = defaultLimits,
  options: IntakeOptions = {},
) {
  const intake = createIntake(metrics, limits, options)
  const { connections, http1, serve } = intake
  await bind(http1, port, address)
  return {
    port: (http1.address() as AddressInfo).port,
    /** What other ports hand their requests to (secure-listener.ts); they go the same way. */
    intake,
    /** Those of all ports of the intake. */
    connections,
    /** Requests wait until this has been called; after 5 s they get a 503. */
    serve,
    /** Refuses new connections, finishes requests in flight, and resolves when all connections are closed. */
    async stop() {
      await intake.stop()
      await new Promise<void>((resolve) => http1.close(() => resolve()))
    },
  }
}

/** Binds a server to a port of an address; `::` is every address, on a machine without IPv6 too. */
export async function bind(server: NetServer, port: number, address: string): Promise<void> {
  try {
    await listenOnce(server, port, address)
  } catch (error) {
    // A machine without IPv6 still has every IPv4 address.
    if ((error as NodeJS.ErrnoException).code !== 'EAFNOSUPPORT' || address !== '::') throw error
    await listenOnce(server, port, '0.0.0.0')
  }
}

function listenOnce(server: NetServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: 4096 }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Has the code of Node's own error for a late request. */
class LateRequest extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
}

type Http1 = Pick<Server, 'emit'>
type HeadLimits = Pick<Limits, 'headersTimeoutMs'>

/**
 * Passes a socket to Node's HTTP/1 server with its first bytes: the server allocates much for each of its sockets. The head
 * of the first request must arrive in time all the same.
 */
function awaitFirstHead(
  http1: Http1,
  socket: Socket,
  connection: Connection,
  { headersTimeoutMs }: HeadLimits,
): void {
  connection.headUntil = performance.now() + headersTimeoutMs
  socket.once('data', (chunk: Buffer) => {
    http1.emit('connection', socket)
    socket.emit('data', chunk)
  })
}

/** How often heads are checked. */
function headCheckMs({ headersTimeoutMs }: HeadLimits): number {
  return Math.min(1000, headersTimeoutMs)
}

/** Answers those that are late as Node does, and closes them. */
function refuseLateHeads(http1: Http1, connections: Connections): void {
  const now = performance.now()
  for (const connection of connections.all()) {
    if (connection.headUntil > now) continue
    connection.headUntil = Number.POSITIVE_INFINITY
    http1.emit('clientError', new LateRequest(), connection.socket)
  }
}

export interface Handler {
  /** A promise is returned for its errors only. */
  (request: ApiRequest, response: ServerResponse): unknown
  /** Answers what it can without Node's objects (repeated-requests.ts). */
  answerPlain?: AnswerPlain | undefined
}

/** Gives the handler of a host and path, undefined for none. The request's head has been read. */
type Route = (host: string, path: string, request: PlainRequest) => Handler | undefined

/** No body may take longer, whatever its handler allows. */
const longestRequestMs = 60 * 60_000

type Http1Server = Server<typeof ApiRequest, typeof ServerResponse>

export interface IntakeOptions {
  /** Proxies that speak for many clients. */
  trustedProxies?: AddressList
  /** Paths that start so are served on connections beyond the limits, too. */
  alwaysServed?: readonly string[]
  /** Whether a 431 at this host deletes the cookies that caused it (refusals.ts). Default: nowhere. */
  clearsCookies?: (host: string) => Awaitable<boolean>
  /** Whose pages may read the errors of requests that reach no handler. */
  corsOrigins?: readonly string[]
  /** Shared with the databases that requests read. */
  batches?: RequestBatches
  /** Of errors that are bugs. Default: nothing is logged. */
  log?: FailureLog
}

export type Intake = ReturnType<typeof createIntake>

export function createIntake(metrics: Metrics, limits: Limits, options: IntakeOptions = {}) {
  const intake = createContext(metrics, limits, options)
  const { batches, clearsCookies, clients, connections, log, route } = intake
  gauge(
    metrics.registry,
    'animal_store_open_connections',
    'Connections that are open, on all ports.',
    () => connections.size,
  )
  gauge(
    metrics.registry,
    'animal_store_max_connections',
    'Connections that may be open at once, on all ports.',
    () => clients.maxOpen,
  )
  gauge(
    metrics.registry,
    'animal_store_waiting_requests',
    'Pipelined requests that wait for the responses before theirs, and open HTTP/2 streams.',
    () => clients.waiting,
  )
  gauge(
    metrics.registry,
    'animal_store_held_response_bytes',
    'Bytes of responses that their clients have not taken, and of the heads of requests that wait.',
    () => countHeldBytes(connections),
  )
  const http1 = createHttp1Server(intake)
  takeHttp1(intake, http1)
  const checks = [
    setInterval(watchReaders(connections, limits), limits.readerCheckMs).unref(),
    setInterval(refuseLateHeads, headCheckMs(limits), http1, connections).unref(),
  ]
  http1.once('close', () => checks.forEach(clearInterval))
  return {
    /** Reads HTTP/1 from the sockets that it is given as connections. */
    http1,
    /** The same for the socket of a connection that is new, once something is sent on it. */
    acceptHttp1: (socket: Socket, connection: Connection) =>
      awaitFirstHead(http1, socket, connection, limits),
    ...{ limits, metrics, log, connections, clients, clearsCookies, batches },
    /** Who answers the request on this connection without the ordinary way, if that is possible. */
    findPlain: (connection: Connection, request: PlainRequest): AnswerPlain | undefined =>
      allowsPlain(intake, connection, request.head.host ?? '')
        ? findPlain(intake, request)
        : undefined,
    /** Answers a request that reaches no handler, or whose handler has thrown. */
    refuse: (request: ApiRequest, response: ServerResponse, error: AppError) =>
      refuse(intake, request, response, error),
    /** Passes a request to its handler. */
    handle: (exchange: Exchange) => handleExchange(intake, exchange),
    /** Requests wait until this has been called; after 5 s they get a 503. */
    serve: route.resolve,
    /** From now on each response on HTTP/1 closes its connection; idle connections are closed. */
    async stop() {
      intake.isStopping = true
      // Node takes connections with these for idle.
      await Promise.all([...connections.all()].map(({ repeatable }) => repeatable?.answering))
      // Node takes none for idle before its first request.
      for (const { held, socket } of connections.all())
        if (held === undefined && socket.bytesRead === 0) socket.destroy()
      http1.closeIdleConnections()
    },
  }
}

type IntakeContext = ReturnType<typeof createContext>

/** What the functions below share: one for each intake. */
function createContext(
  metrics: Metrics,
  limits: Limits,
  {
    alwaysServed = [],
    batches = createRequestBatches(),
    clearsCookies = () => false,
    corsOrigins = [],
    log = { debug() {}, warn() {}, error() {} },
    trustedProxies = { has: () => false },
  }: IntakeOptions,
) {
  return {
    ...{ limits, metrics, log, batches, clearsCookies },
    connections: createConnections(),
    clients: createClients(limits, trustedProxies),
    /** Requests wait for it until the program has started. */
    route: createDeferred<Route>(),
    logFailure: createFailureLog(log),
    corsOrigins: new Set(corsOrigins),
    isAlwaysServed: (path: string) => alwaysServed.some((prefix) => path.startsWith(prefix)),
    isStopping: false,
  }
}

/** The HTTP/1 server, without listeners. */
function createHttp1Server(intake: IntakeContext): Http1Server {
  const { limits } = intake

  /** While stopping, each response closes its connection, even if the request began before. */
  class ClosingResponse extends ServerResponse<IncomingMessage> {
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
    ServerResponse: ClosingResponse as typeof ServerResponse,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    // limitBodyTime has shorter time-outs: an upload may take longer than a few fields of JSON.
    requestTimeout: longestRequestMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: headCheckMs(limits),
    // readTarget checks it, so that the response is in our shape.
    requireHostHeader: false,
  })
  // A client that does not read its response would keep it, and its connection, forever.
  http1.timeout = limits.stalledTimeoutMs
  http1.maxConnections = intake.clients.maxOpen
  // Node would ignore the headers after the 2000th; readTarget limits their number.
  http1.maxHeadersCount = 0
  return http1
}

/** Handles what the HTTP/1 server emits. */
function takeHttp1(intake: IntakeContext, http1: Http1Server): void {
  const { clients, connections, limits } = intake
  const waitForTurn = createPipelines(clients, limits, (exchange) =>
    handleExchange(intake, exchange),
  )

  const handleRequest = (request: ApiRequest, response: ServerResponse): void => {
    const { socket } = request
    // Closing: what else its last bytes bring is not handled.
    if (!socket.writable) return
    const exchange: Exchange = {
      request,
      response,
      endLate: () => http1.emit('clientError', new LateRequest(), socket),
      dropBody: () => limitUnread(request, limits.unreadBodyBytes),
    }
    const connection = connections.of(socket)
    if (connection) connection.headUntil = Number.POSITIVE_INFINITY
    connection?.repeatable?.note(exchange)
    if (connection && response.socket === null) waitForTurn(exchange, connection)
    else handleExchange(intake, exchange)
  }
  const refuseBare = (thrown: Error, socket: Duplex, headers: readonly string[] = []): void => {
    const cors = corsHeaders(originIn((thrown as ParserError).rawPacket), intake.corsOrigins)
    const error = answerParserError(thrown, socket, [...headers, ...cors])
    if (error) countRefusal(intake, error)
  }
  const refuseParsed = (thrown: ParserError, socket: Duplex): void => {
    const host = isHeaderOverflow(thrown)
      ? hostOfCookieOverflow(thrown.rawPacket, hostOfTls(connections, socket), limits)
      : undefined
    if (host === undefined) {
      refuseBare(thrown, socket)
      return
    }
    // Nothing more is read meanwhile.
    socket.pause()
    const refuseWith = (isCleared: boolean) =>
      refuseBare(thrown, socket, isCleared ? clearCookies : undefined)
    Promise.resolve(intake.clearsCookies(host)).then(refuseWith, () => refuseWith(false))
  }

  const repeated = repeatedRequests({
    batches: intake.batches,
    isAllowed: (connection, host) => isIdle(connection) && allowsPlain(intake, connection, host),
    find: (request) => findPlain(intake, request),
    maxTargetBytes: limits.urlBytes,
    maxBlockBytes: limits.repeatedBlockBytes,
    maxBytes: limits.repeatedBytes,
    keepAliveSeconds: Math.floor(limits.keepAliveTimeoutMs / 1000),
    stalledTimeoutMs: limits.stalledTimeoutMs,
  })

  http1.on('connection', (socket) => {
    let connection = connections.of(socket)
    if (!connection) {
      const admission = clients.admit(socket, () => isIdle(admitted))
      const place = { isSecure: false, admits: undefined, hosts: new Set<string>() }
      const admitted = createConnection(socket, admission, place)
      connections.add(admitted)
      socket.once('close', () => {
        admission.leave()
        connections.delete(admitted)
      })
      connection = admitted
    }
    connection.repeatable = watchRepeated(socket, connection, repeated)
  })
  http1.on('request', handleRequest)
  // Without this Node would ask for the body before its handler decides to read it (RFC 9110, section 10.1.1).
  http1.on('checkContinue', handleRequest)
  // An unknown expectation may be ignored (same section).
  http1.on('checkExpectation', handleRequest)
  http1.on('clientError', refuseParsed)
  http1.on('connect', (_, socket) => {
    connections.of(socket as Socket)?.repeatable?.stop()
    refuseBare(connectRefused(), socket)
  })
}

/** Whether a request for the host may be answered without the ordinary way, at present. */
function allowsPlain({ isStopping }: IntakeContext, connection: Connection, host: string): boolean {
  return !isStopping && !connection.isSurplus && admits(connection, host)
}

/** Who answers it without the ordinary way. Depends on host and target alone. */
function findPlain({ route }: IntakeContext, request: PlainRequest): AnswerPlain | undefined {
  return route.current?.(request.head.host ?? '', request.url as string, request)?.answerPlain
}

/** The host of the connection's handshake; undefined without TLS. */
function hostOfTls(connections: Connections, socket: Duplex): string | undefined {
  const connection = connections.of(socket as Socket)
  return connection?.isSecure ? connection.hosts.values().next().value : undefined
}

function handleExchange(intake: IntakeContext, exchange: Exchange): void {
  const { request, response } = exchange
  try {
    request.startedAt = performance.now()
    const connection = intake.connections.of(request.socket)
    request.isSecure = connection?.isSecure === true
    request.head = readHead(request)
    const route = intake.route.current ?? intake.route.wait()
    const handled =
      route instanceof Promise
        ? route.then((started) => admitRequest(intake, exchange, connection, started))
        : admitRequest(intake, exchange, connection, route)
    if (handled instanceof Promise) handled.catch((thrown) => fail(intake, exchange, thrown))
  } catch (thrown) {
    fail(intake, exchange, thrown)
  }
  if (!request.head?.hasBody) return
  // Most bodies come with their heads.
  queueMicrotask(() => {
    if (!request.complete && !request.destroyed) limitBodyTime(exchange, intake.limits)
  })
  // Before Node's own listener, which would drop what is unread without counting it.
  response.prependOnceListener('finish', exchange.dropBody)
}

/** Checks the target, and whether the connection may ask for its host. Gives what the handler gives. */
function admitRequest(
  { isAlwaysServed, limits }: IntakeContext,
  exchange: Exchange,
  connection: Connection | undefined,
  route: Route,
): unknown {
  const { head } = exchange.request
  readTarget(exchange.request, limits.urlBytes)
  if (connection?.isSurplus && !isAlwaysServed(exchange.request.url as string)) {
    throw tooManyConnections()
  }
  const admitted = connection?.admits?.(head.host ?? '') ?? true
  return admitted instanceof Promise
    ? admitted.then(
        (isAdmitted) => callHandler(exchange, route, isAdmitted),
        (error) => {
          throw unavailable(error)
        },
      )
    : callHandler(exchange, route, admitted)
}

/** Throws an AppError where the host is not admitted, or nothing is served at it. */
function callHandler({ request, response }: Exchange, route: Route, isAdmitted: boolean): unknown {
  const { host = '' } = request.head
  if (!isAdmitted) throw misdirected(host)
  // Of the server as a whole (RFC 9110, section 9.3.7).
  if (request.url === '*') return sendOnce(request, response, 204, [], undefined)
  const handler = route(host, request.url as string, request)
  if (!handler) throw nothingServed(host)
  return handler(request, response)
}

/** Answers what was thrown; a bug with a 500, which is logged. Never throws. */
function fail(intake: IntakeContext, { request, response }: Exchange, thrown: unknown): void {
  try {
    const error = toAppError(thrown)
    if (error.code === 'internal_error' || error.cause !== undefined) {
      intake.logFailure(request.head.requestId, error)
    }
    // A response that is complete stays, also if something after it failed.
    if (response.writableEnded) return
    refuse(intake, request, response, error)
  } catch (err) {
    intake.log.error({ event: 'request.not_answered', err }, 'an error could not be answered')
    response.destroy()
  }
}

function refuse(
  intake: IntakeContext,
  request: ApiRequest,
  response: ServerResponse,
  error: AppError,
): void {
  countRefusal(intake, error)
  if (request.extraHeaders.length === 0)
    request.extraHeaders = corsHeaders(request.head.origin, intake.corsOrigins)
  sendError(request, response, error)
}

function countRefusal({ metrics }: IntakeContext, { status }: AppError): void {
  metrics.observeRequest({ environment: 'none', operation: 'none', status }, 0)
}

/** Adds headers to those in either form that writeHead takes. */
function withFixed(headers: unknown, fixed: string[]): string[] | Record<string, string> {
  if (Array.isArray(headers)) return [...headers, ...fixed]
  const more: Record<string, string> = {}
  for (let i = 0; i < fixed.length; i += 2) more[fixed[i] as string] = fixed[i + 1] as string
  return { ...(headers as object), ...more }
}

const waitMs = 5_000

export type Deferred<T extends object> = ReturnType<typeof createDeferred<T>>

export function createDeferred<T extends object>() {
  const started = Promise.withResolvers<T>()
  const deferred = {
    /** Undefined before it is resolved. */
    current: undefined as T | undefined,
    resolve(value: T) {
      deferred.current = value
      started.resolve(value)
    },
    /** Rejects with a 503 after 5 s. */
    wait: (): Promise<T> =>
      within(waitMs, started.promise, () => {
        throw retryLater('The service is starting. Try again in a moment.')
      }),
  }
  return deferred
}
