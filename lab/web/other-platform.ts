// Another platform that hosts sites, from which a live site can move: every host over HTTP and HTTPS, with certificates
// of its own authority. Its customers' CNAME records point to its host, which can have CAA records.
import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import { createSecureContext, type SecureContext } from 'node:tls'
import { createInternalRoot, issueInternally } from '#acme/x509/internal-issuer.ts'
import { listen, type WebServer } from './web-servers.ts'

interface OtherPlatform extends WebServer {
  /** The root of its certificates, PEM. */
  root: string
}

/** In the header X-Platform of its responses. */
const otherPlatformName = 'Dovecote'

const page = '<!doctype html><title>Dovecote</title><h1>This host is published at Dovecote.</h1>\n'
const maxContexts = 1000
const certificateDays = 90

/** Both ports close together. */
export async function startOtherPlatform(
  address: string,
  ports: { http: number; https: number },
): Promise<OtherPlatform> {
  await using starting = new AsyncDisposableStack()
  const plain = await listen(address, ports.http, answer)
  starting.defer(plain.close)
  const root = await createInternalRoot('Dovecote CA', Date.now())
  const contextOf = createContexts((host) =>
    issueInternally(root, [host], { days: certificateDays, now: Date.now() }),
  )
  const server = createSecureServer({
    allowHTTP1: true,
    SNICallback(host, done) {
      contextOf(host).then(
        (context) => done(null, context),
        (error: Error) => done(error),
      )
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

/** One context for each host, the oldest of too many is dropped. */
function createContexts(issue: (host: string) => ReturnType<typeof issueInternally>) {
  const contexts = new Map<string, Promise<SecureContext>>()
  return (host: string): Promise<SecureContext> => {
    const known = contexts.get(host)
    if (known) return known
    const [oldest] = contexts.keys()
    if (oldest !== undefined && contexts.size >= maxContexts) contexts.delete(oldest)
    const context = issue(host).then(({ chain, key }) => createSecureContext({ cert: chain, key }))
    contexts.set(host, context)
    context.catch(() => contexts.delete(host))
    return context
  }
}
