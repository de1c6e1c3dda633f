// A faulty proxy in front of the store, to which a name can point, and what the lab's web servers share.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

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
