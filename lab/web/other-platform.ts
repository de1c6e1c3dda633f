// Another platform that hosts sites, from which a live site can move: every host over HTTP and HTTPS, with certificates
// of its own authority. Its customers' CNAME records point to its host, which can have CAA records.
import { once } from 'node:events'
import { createSecureServer } from 'node:http2'
import { createSecureContext, type SecureContext } from 'node:tls'
import {
  createInternalRoot,
  issueInternally,
} from '../../server/publishing/acme/x509/internal-issuer.ts'
import type { OtherPlatformState } from '../network/topology.ts'
import { listen, type WebServer } from './web-servers.ts'

export interface OtherPlatform extends WebServer {
  /** The root of its certificates, PEM. */
  root: string
}

/** In the header X-Platform of its responses. */
export const otherPlatformName = 'Dovecote'

const page = '<!doctype html><title>Dovecote</title><h1>This host is published at Dovecote.</h1>\n'
const maxContexts = 1000
const certificateDays = 90

/** Both ports close together. */
export async function startOtherPlatform(
  address: string,
  ports: { http: number; https: number },
  /** Read at each request. */
  state: OtherPlatformState,
): Promise<OtherPlatform> {
  await using starting = new AsyncDisposableStack()
  const plain = await listen(address, ports.http, (incoming, response) => {
    answer(state, incoming, response)
  })
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
  server.on('request', (incoming, response) => answer(state, incoming, response))
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
  headers: { host?: string | undefined; ':authority'?: string | undefined }
}
interface Response {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body: string): unknown
}

/** Every path is a page, except for challenges and sitemaps. */
function answer({ hasHsts, pages }: OtherPlatformState, incoming: Request, response: Response) {
  const path = incoming.url ?? '/'
  const headers = {
    Server: otherPlatformName,
    'X-Platform': otherPlatformName,
    ...(hasHsts && { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' }),
  }
  if (path === '/sitemap.xml' && pages.length > 0) {
    response.writeHead(301, { ...headers, Location: sitemapIndex })
    response.end('')
    return
  }
  const { ':authority': authority, host = authority ?? '' } = incoming.headers
  const sitemap = sitemapAt(path, host.replace(/:\d+$/, ''), pages)
  const type = sitemap === undefined ? 'text/html' : 'application/xml'
  response.writeHead(path.startsWith('/.well-known/') ? 404 : 200, {
    ...headers,
    'Content-Type': `${type}; charset=utf-8`,
  })
  response.end(sitemap ?? page)
}

const sitemapIndex = '/sitemap_index.xml'
const pagesInSitemap = 50

/** An index, and sitemaps of some pages each. */
function sitemapAt(path: string, host: string, pages: string[]): string | undefined {
  const count = Math.ceil(pages.length / pagesInSitemap)
  if (count === 0) return undefined
  const numbers = Array.from({ length: count }, (_, i) => i + 1)
  if (path === sitemapIndex)
    return listOf('sitemapindex', 'sitemap', host, numbers.map(pathOfSitemap))
  const n = numbers.find((each) => pathOfSitemap(each) === path)
  if (n === undefined) return undefined
  const own = pages.slice((n - 1) * pagesInSitemap, n * pagesInSitemap)
  return listOf('urlset', 'url', host, own)
}

const pathOfSitemap = (n: number): string => `/sitemap-${n}.xml`

function listOf(list: string, entry: string, host: string, paths: string[]): string {
  const entries = paths.map((path) => `<${entry}><loc>https://${host}${path}</loc></${entry}>`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<${list} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join('')}</${list}>
`
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
