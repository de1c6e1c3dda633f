// Looks at the site that a host leads to before the switch: whether it has browsers insist on HTTPS, and which pages its
// sitemap lists; then which of these our own site does not have.
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { sendRequest, urlOfAddress } from '../../../platform/network/http-client.ts'
import { readRobots, readSitemap } from './read-sitemap.ts'
import {
  type AddressContext,
  headersFor,
  httpsPortsOf,
  requestOverHttps,
  type SeenAtAddress,
} from './request-at-address.ts'

/** Of all requests to the old site, and of all that ask for its pages here. */
const withinMs = 5000
const maxSitemapBytes = 256 * 1024
const maxSitemaps = 4
const maxRedirects = 2
const maxPages = 100
const maxConnections = 8

export interface OldSite {
  /** The header Strict-Transport-Security of its front page. */
  hsts: string | undefined
  /** Paths of its sitemap, at most 100; empty where there is none. */
  paths: string[]
}

/** Undefined where it does not respond over HTTPS, or its address is not public. Takes at most 5 s; never throws. */
export async function lookAtOldSite(
  host: string,
  address: string,
  context: AddressContext,
): Promise<OldSite | undefined> {
  const deadline = performance.now() + withinMs
  const left = () => Math.max(1, deadline - performance.now())
  const front = await requestOverHttps(host, address, httpsPortsOf(address, context))
  if (!front) return undefined

  /** The text of a file; undefined without one. Redirects on the same host are followed. */
  async function read(path: string): Promise<string | undefined> {
    let next = path
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const options = { path: next, maxBytes: maxSitemapBytes, timeoutMs: left() }
      const found = await requestOverHttps(host, address, [front?.port ?? 0], options)
      if (found?.status === 200) return found.body.toString('utf8')
      const { location } = found?.headers ?? {}
      const url = location === undefined ? null : URL.parse(location, `https://${host}${next}`)
      if (url?.hostname !== host || url.protocol !== 'https:') return undefined
      next = url.pathname + url.search
    }
    return undefined
  }

  async function findPaths(): Promise<string[]> {
    const robots = await read('/robots.txt')
    const named = robots === undefined ? [] : readRobots(robots, host)
    const queue = named.length > 0 ? named : ['/sitemap.xml']
    const paths = new Set<string>()
    for (let i = 0; i < maxSitemaps && paths.size < maxPages; i++) {
      const path = queue[i]
      if (path === undefined || performance.now() >= deadline) break
      const sitemap = readSitemap((await read(path)) ?? '', host)
      queue.push(...(sitemap?.sitemaps ?? []))
      for (const page of sitemap?.paths ?? []) paths.add(page)
    }
    return [...paths].slice(0, maxPages)
  }

  return { hsts: front.headers['strict-transport-security'], paths: await findPaths() }
}

export interface PagesHere {
  /** Pages that were asked for, and got a response. */
  checked: number
  /** Those of them that are not found here. */
  missing: string[]
}

/** Asks for each page at one of our own addresses, as a visitor of the host. Undefined where none serves it. */
export async function findPagesHere(
  host: string,
  seen: readonly SeenAtAddress[],
  paths: readonly string[],
): Promise<PagesHere | undefined> {
  const server = seen.find(({ plain, secure }) => secure ?? (plain && plain.status < 300))
  const { port } = server?.secure ?? server?.plain ?? {}
  if (!server || port === undefined || paths.length === 0) return undefined
  const scheme = server.secure ? 'https' : 'http'
  const kept = { keepAlive: true, maxSockets: maxConnections }
  const agent = server.secure ? new HttpsAgent(kept) : new HttpAgent(kept)
  try {
    const statuses = await Promise.all(
      paths.map(async (path) => {
        try {
          const url = urlOfAddress(server.address, port, path, scheme)
          const { status } = await sendRequest(url, {
            ...{ method: 'HEAD', headers: headersFor(host), timeoutMs: withinMs, agent },
            ...{ maxBytes: 1024, oversize: 'truncate' },
            ...(server.secure && { serverName: host }),
          })
          return { path, status }
        } catch {
          return { path, status: undefined }
        }
      }),
    )
    const answered = statuses.filter(({ status }) => status !== undefined)
    const missing = answered.filter(({ status }) => status === 404 || status === 410)
    return { checked: answered.length, missing: missing.map(({ path }) => path) }
  } finally {
    agent.destroy()
  }
}
