// The web servers to which a name of the lab can point: a faulty proxy in front of the server, and another platform that
// hosts sites, from which a live site can move; and what the lab's web servers share.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { createSecureContext, type SecureContext } from 'node:tls'
import {
  type CertificateWithKey,
  createInternalRoot,
  issueInternally,
} from '#acme/x509/certificate.ts'
import { createSharedLookups } from '#kit/expiring-map.ts'

/** What the proxy does with requests. */
export const proxyModes = [
  /** Forwards every request to the server. */
  'pass_through',
  /** Refuses the paths of certificate challenges. */
  'block_challenges',
  /** Redirects every request to itself, like a proxy that connects to the server over HTTP. */
  'redirect_loop',
  /** Answers with an error page of its own. */
  'origin_error',
] as const
export type ProxyMode = (typeof proxyModes)[number]

export interface ProxyState {
  mode: ProxyMode
  /** The Server header of its responses, by which known proxies are recognized. */
  serverHeader: string
}

export const proxyServerHeader = 'otter-edge'

export interface WebServer {
  port: number
  close(): Promise<void>
}

/** Forwards requests to the server, or fails in the current mode. */
export function startProxy(
  address: string,
  port: number,
  server: { address: string; port: number },
  state: ProxyState,
): Promise<WebServer> {
  return listen(address, port, (incoming, response) => {
    const path = incoming.url ?? '/'
    const { mode } = state
    const headers = { Server: state.serverHeader }
    if (mode === 'origin_error') {
      response
        .writeHead(522, { ...headers, 'Content-Type': 'text/plain' })
        .end('522: origin error\n')
    } else if (mode === 'redirect_loop') {
      const location = `http://${incoming.headers.host ?? ''}${path}`
      response.writeHead(301, { ...headers, Location: location }).end()
    } else if (mode === 'block_challenges' && path.startsWith('/.well-known/')) {
      response
        .writeHead(403, { ...headers, 'Content-Type': 'text/plain' })
        .end('Blocked by a rule\n')
    } else {
      forward(incoming, response, { ...server, path }, headers)
    }
  })
}

/** Forwards a request and returns the response. 502 when the target cannot be reached. */
export function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  to: { address: string; port: number; path: string },
  addedHeaders: Record<string, string> = {},
): void {
  const { address: host, path, port } = to
  const headers = { ...incoming.headers }
  delete headers['proxy-connection']
  const onward = request({ host, port, path, method: incoming.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...addedHeaders })
    answer.pipe(response)
  })
  onward.on('error', () => {
    if (!response.headersSent) response.writeHead(502, addedHeaders)
    response.end()
  })
  response.on('close', () => onward.destroy())
  incoming.pipe(onward)
}

/** An HTTP server that closes its connections when it stops. */
export async function listen(
  address: string,
  port: number,
  handle: (incoming: IncomingMessage, response: ServerResponse) => void,
  prepare?: (server: ReturnType<typeof createServer>) => void,
): Promise<WebServer> {
  const server = createServer(handle)
  prepare?.(server)
  return await opened(server, address, port)
}

/** The same over HTTPS. */
export function listenHttps(
  address: string,
  port: number,
  { chain: cert, key }: CertificateWithKey,
  handle: (incoming: IncomingMessage, response: ServerResponse) => void,
): Promise<WebServer> {
  const server = createHttpsServer({ cert, key, handshakeTimeout: 5000 }, handle)
  server.on('tlsClientError', (_, socket) => socket.destroy())
  return opened(server, address, port)
}

/** A certificate of the lab's own servers, and its root (PEM). */
export async function issueForLab(hosts: string[]) {
  const now = Date.now()
  const root = await createInternalRoot('Lab root', now)
  return { root: root.chain, ...(await issueInternally(root, hosts, { days: 365, now })) }
}

async function opened(
  server: ReturnType<typeof createServer | typeof createHttpsServer>,
  address: string,
  port: number,
): Promise<WebServer> {
  await once(server.listen(port, address), 'listening')
  return {
    port: (server.address() as { port: number }).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface OtherPlatform extends WebServer {
  /** The root of its certificates, PEM. */
  root: string
}

/** In the header X-Platform of its responses. */
const otherPlatformName = 'Dovecote'

const page = '<!doctype html><title>Dovecote</title><h1>This host is published at Dovecote.</h1>\n'
const maxContexts = 1000
const certificateDays = 90

/**
 * The other platform serves every host, over HTTP and over HTTPS with certificates of its own authority. Its customers' CNAME
 * records point to its host, which can have CAA records. Both ports close together.
 */
export async function startOtherPlatform(
  address: string,
  ports: { http: number; https: number },
): Promise<OtherPlatform> {
  await using starting = new AsyncDisposableStack()
  const plain = await listen(address, ports.http, answer)
  starting.defer(plain.close)
  const root = await createInternalRoot('Dovecote CA', Date.now())
  const share = createSharedLookups<SecureContext>(Date.now, maxContexts, Number.POSITIVE_INFINITY)
  const contextOf = (host: string): Promise<SecureContext> =>
    share(host, async () => {
      const validity = { days: certificateDays, now: Date.now() }
      const { chain: cert, key } = await issueInternally(root, [host], validity)
      return createSecureContext({ cert, key })
    })
  const server = createSecureServer({
    allowHTTP1: true,
    SNICallback(host, done) {
      contextOf(host).then((context) => done(null, context), done)
    },
  })
  server.on('request', answer)
  server.on('tlsClientError', (_, socket) => socket.destroy())
  server.on('sessionError', () => {})
  const open = new Set<{ destroy(): void }>()
  server.on('secureConnection', (socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
  })
  await once(server.listen(ports.https, address), 'listening')
  const running = starting.move()
  return {
    port: plain.port,
    root: root.chain,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await Promise.all([closed, running.disposeAsync()])
    },
  }
}

interface Request {
  url?: string | undefined
}
interface Response {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body: string): unknown
}

/** Every path is a page, except for challenges. */
function answer(incoming: Request, response: Response) {
  response.writeHead(incoming.url?.startsWith('/.well-known/') ? 404 : 200, {
    Server: otherPlatformName,
    'X-Platform': otherPlatformName,
    'Content-Type': 'text/html; charset=utf-8',
  })
  response.end(page)
}
