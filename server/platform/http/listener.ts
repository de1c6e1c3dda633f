// The HTTP listener: limits and time-outs, the way to the site that a request's host names, and a stop
// that finishes what has begun. Everything that it refuses is in the Error shape.
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { AppError } from '../errors.ts'
import type { Metrics } from '../metrics.ts'
import { sendError } from './answer.ts'
import { answerParserError } from './parser-errors.ts'
import { ApiRequest, hostName, readHead } from './request-head.ts'

export type Handler = (request: ApiRequest, response: ServerResponse) => void

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
  connections: number
  /** Of a body that nobody wants, before its connection is cut. */
  unreadBodyBytes: number
}

export const defaultLimits: Limits = {
  headerBytes: 32 * 1024,
  urlBytes: 8 * 1024,
  headersTimeoutMs: 10_000,
  bodyTimeoutMs: 30_000,
  stalledTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000,
  connections: 20_000,
  // Twice what an import may have: who sends one hears why it is refused.
  unreadBodyBytes: 2 * 1024 * 1024,
}

/** No body may take longer, whatever its handler says. */
const longestRequestMs = 60 * 60_000

/** What Node would say of a request that is late. */
class LateBody extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
}

export interface Listener {
  readonly port: number
  /** Requests get a 503 until this has been called. */
  serve(route: (host: string, path: string) => Handler | undefined): void
  /** Refuses new connections, finishes requests in flight, and resolves when all connections are closed. */
  stop(): Promise<void>
}

/** Binds the port. Rejects with the system's error (EADDRINUSE, EACCES …). */
export async function listen(
  port: number,
  address: string,
  metrics: Metrics,
  limits = defaultLimits,
): Promise<Listener> {
  let route: ((host: string, path: string) => Handler | undefined) | undefined
  let stopping = false

  /** While stopping, each answer closes its connection, also to a request that had begun before. */
  class Answer extends ServerResponse<IncomingMessage> {
    override writeHead(...given: unknown[]): this {
      if (stopping) this.shouldKeepAlive = false
      return super.writeHead(...(given as [number]))
    }
  }

  const server = createServer<typeof ApiRequest, typeof ServerResponse>({
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
  server.timeout = limits.stalledTimeoutMs
  server.maxConnections = limits.connections
  // Node would pass over the fields after the 2000th; that there are not too many, headerBytes sees to.
  server.maxHeadersCount = 0

  function handle(request: ApiRequest, response: ServerResponse): void {
    request.startedAt = performance.now()
    request.head = readHead(request)
    try {
      const handler = findHandler(request)
      handler(request, response)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      metrics.observeRequest({ environment: 'none', operation: 'none', status: error.status }, 0)
      sendError(request, response, error)
    }
    if (request.head.hasBody && !request.complete) limitWait(request)
    // Before Node's own listener, which would drop what is unread without counting it.
    if (request.head.hasBody)
      response.prependOnceListener('finish', () => limitUnread(request, limits.unreadBodyBytes))
  }

  function limitWait(request: ApiRequest): void {
    const { socket } = request
    const late = (): void => {
      const left = (request.bodyWithinMs ?? 0) - (performance.now() - request.startedAt)
      if (request.complete) return
      if (left > 0) timer = setTimeout(late, left)
      else server.emit('clientError', new LateBody(), socket)
    }
    let timer = setTimeout(late, limits.bodyTimeoutMs)
    request.once('end', () => clearTimeout(timer))
    request.once('close', () => clearTimeout(timer))
  }

  function findHandler(request: ApiRequest): Handler {
    if (route === undefined)
      throw new AppError('unavailable', 'The service is starting. Try again in a moment.', {
        headers: { 'Retry-After': '1' },
      })
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
    if (head.hosts > 1 || (head.hosts === 0 && request.httpVersion === '1.1')) {
      throw new AppError('invalid_request', 'Send exactly one Host field (RFC 9112, section 3.2).')
    }
    if (head.transferCoding !== undefined && !/^chunked$/i.test(head.transferCoding)) {
      throw new AppError('invalid_request', 'Transfer-Encoding may be chunked, and nothing else.')
    }
    const handler = route(head.host ?? '', url)
    if (!handler) {
      throw new AppError(
        'route_not_found',
        `Nothing is served at the host ${JSON.stringify(head.host ?? '')}.`,
      )
    }
    return handler
  }

  server.on('request', handle)
  // Without this Node would ask for the body before we know whether we want it (RFC 9110, section 10.1.1).
  server.on('checkContinue', handle)
  // An expectation that we do not know may be ignored (same section).
  server.on('checkExpectation', handle)
  const refuse = (thrown: Error, socket: Duplex): void => {
    const error = answerParserError(thrown, socket)
    if (error)
      metrics.observeRequest({ environment: 'none', operation: 'none', status: error.status }, 0)
  }
  server.on('clientError', refuse)
  server.on('connect', (_, socket) => {
    refuse(new AppError('invalid_request', 'CONNECT is for proxies; this is none.'), socket)
  })

  await bind(server, port, address)
  return {
    port: (server.address() as AddressInfo).port,
    serve: (found) => {
      route = found
    },
    async stop() {
      stopping = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      await closed
    },
  }
}

async function bind(server: Server, port: number, address: string): Promise<void> {
  try {
    await listenOnce(server, port, address)
  } catch (error) {
    // A machine without IPv6 still has every IPv4 address.
    if ((error as NodeJS.ErrnoException).code !== 'EAFNOSUPPORT' || address !== '::') throw error
    await listenOnce(server, port, '0.0.0.0')
  }
}

function listenOnce(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: 4096 }, () => {
      server.off('error', reject)
      resolve()
    })
  })
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
