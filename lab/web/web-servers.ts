// The other places that a name can point to: a platform that is not ours and parks every host, and a proxy
// before the server, with the faults that proxies have.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/** What the proxy does with requests. */
export const proxyModes = [
  /** All goes on to the server. */
  'passes',
  /** The paths that a certificate needs are refused. */
  'blocks_challenges',
  /** Every request is sent to https, which comes back here ("flexible" TLS). */
  'redirects_in_a_circle',
  /** It shows an error of its own. */
  'fails',
] as const
export type ProxyMode = (typeof proxyModes)[number]

export interface ProxyState {
  mode: ProxyMode
  /** The field Server of its answers, by which known proxies show themselves. */
  sign: string
}

export const ownSign = 'otter-edge'

export interface WebPlace {
  close(): Promise<void>
}

/** Answers every host with a page of its own. */
export function startOtherPlatform(address: string, port: number): Promise<WebPlace> {
  return listen(address, port, (asked, response) => {
    response.writeHead(asked.url?.startsWith('/.well-known/') ? 404 : 200, {
      'Content-Type': 'text/html; charset=utf-8',
      Server: 'Dovecote',
      'X-Platform': 'Dovecote',
    })
    response.end(
      '<!doctype html><title>Dovecote</title><h1>This host is published at Dovecote.</h1>\n',
    )
  })
}

/** Hands requests on to the server, as the state says at that moment. */
export function startProxy(
  address: string,
  port: number,
  server: { address: string; port: number },
  state: ProxyState,
): Promise<WebPlace> {
  return listen(address, port, (asked, response) => {
    const path = asked.url ?? '/'
    const now = state.mode
    const sign = { Server: state.sign }
    if (now === 'fails') {
      response.writeHead(522, { ...sign, 'Content-Type': 'text/plain' }).end('522: origin error\n')
    } else if (now === 'redirects_in_a_circle') {
      const location = `http://${asked.headers.host ?? ''}${path}`
      response.writeHead(301, { ...sign, Location: location }).end()
    } else if (now === 'blocks_challenges' && path.startsWith('/.well-known/')) {
      response.writeHead(403, { ...sign, 'Content-Type': 'text/plain' }).end('Blocked by a rule\n')
    } else {
      handOn(asked, response, { ...server, path }, sign)
    }
  })
}

/** Sends a request on, and its answer back. 502 when nobody is there. */
export function handOn(
  asked: IncomingMessage,
  response: ServerResponse,
  to: { address: string; port: number; path: string },
  sign: Record<string, string> = {},
): void {
  const { address: host, path, port } = to
  const headers = { ...asked.headers }
  delete headers['proxy-connection']
  const onward = request({ host, port, path, method: asked.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...sign })
    answer.pipe(response)
  })
  onward.on('error', () => {
    if (!response.headersSent) response.writeHead(502, sign)
    response.end()
  })
  response.on('close', () => onward.destroy())
  asked.pipe(onward)
}

/** An HTTP server that ends at once, connections and all. */
export async function listen(
  address: string,
  port: number,
  handle: (asked: IncomingMessage, response: ServerResponse) => void,
  prepare?: (server: ReturnType<typeof createServer>) => void,
): Promise<WebPlace & { port: number }> {
  const server = createServer(handle)
  prepare?.(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () => resolve())
  })
  return {
    port: (server.address() as { port: number }).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
