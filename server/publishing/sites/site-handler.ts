// Handles requests for published sites: finds the site and its file, and records metrics and logs. The response depends
// only on the method, the path and standard HTTP headers. Cookies are never read or set.
import type { ServerResponse } from 'node:http'
import { type Awaitable, type Database, withValue } from '../../platform/database/database.ts'
import type { Handler } from '../../platform/http/listener/intake.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import type { PlainRequest, PlainResponse } from '../../platform/http/response/plain-response.ts'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { createObjectReader, type ObjectReader } from '../object-storage/read-objects.ts'
import { createFileCache } from './file-cache.ts'
import { createFileSender } from './file-sender.ts'
import { createFileFinder } from './find-file.ts'
import { createSiteFinder } from './find-site.ts'
import { addressOf, readTarget } from './requested-path.ts'
import { redirect, sendNothing } from './response-headers.ts'
import type { PublishedFile, Site } from './site.ts'
import { prefersJson, sendFailure, sendSiteError } from './site-error.ts'

export interface SitesContext {
  database: Database
  /** Reads files that are not in the database. */
  objects?: ObjectReader
  /** See publishedVersions. */
  versions: () => Awaitable<bigint>
  /** The origin of the site with this slug, without a slash at the end: `http://x.docs.localhost:8080`. */
  origin: (slug: string) => string
  metrics: Metrics
  log: Logger
  /** Maximum memory of the file cache, which all sites share. */
  maxBytes?: number
}

export type Sites = ReturnType<typeof createSites>

const allowed = 'GET, HEAD, OPTIONS'

export function createSites(context: SitesContext) {
  const { database, log, metrics, maxBytes = 64 * 1024 * 1024, origin } = context
  const sites = createSiteFinder(database, context.versions)
  const cache = createFileCache(maxBytes)
  const { objects = createObjectReader(undefined, log) } = context
  const source = { read: database.read, objects }
  const files = createFileFinder(source, cache)
  const sender = createFileSender(source, cache)
  const logsAllRequests = log.isLevelEnabled('debug')

  function answer(
    request: ApiRequest,
    response: ServerResponse,
    slug: string,
    calledBy: string | undefined,
  ): Awaitable<number> {
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') {
      if (method === 'OPTIONS') return sendNothing(request, response, 204, ['Allow', allowed])
      return sendSiteError(request, response, 'method', { Allow: allowed })
    }
    return withValue(sites.find(slug), (found) => {
      switch (found.kind) {
        case 'site':
          return serve(request, response, found.site, () => calledBy ?? origin(slug))
        case 'renamed':
          return redirectTo(origin(found.slug), request, response)
        case 'nothing published':
          return sendSiteError(request, response, 'nothingPublished')
        case 'unknown':
          return sendSiteError(request, response, 'unknownSite')
      }
    })
  }

  function serve(
    request: ApiRequest,
    response: ServerResponse,
    site: Site,
    origin: () => string,
  ): Awaitable<number> {
    // Fast path: most requests are for cached files and use the canonical address, so that nothing is decoded.
    const cached = findCached(request, site)
    if (!cached) return findAndSend(request, response, site, origin())
    return sender.send(request, response, cached)
  }

  function findCached({ url = '' }: PlainRequest, site: Site): PublishedFile | undefined {
    const query = url.indexOf('?')
    const cached = site.files.get(query < 0 ? url : url.slice(0, query))
    if (cached) cached.isUsed = true
    return cached
  }

  function answerPlain(
    request: PlainRequest,
    send: (plain: PlainResponse) => void,
    slug: string,
  ): Awaitable<boolean> {
    return withValue(sites.find(slug), (found) => {
      const file = found.kind === 'site' ? findCached(request, found.site) : undefined
      const plain = file && sender.findPlain(request, file)
      if (!plain) return false
      send(plain)
      recordRequest(request, slug, plain.head.status)
      return true
    })
  }

  async function findAndSend(
    request: ApiRequest,
    response: ServerResponse,
    site: Site,
    origin: string,
  ): Promise<number> {
    const target = readTarget(request.url as string)
    if (target === 'malformed') return sendSiteError(request, response, 'malformed')
    const path = target === 'nowhere' ? '' : target.path
    if (target !== 'nowhere') {
      const found = await files.find(site, origin, path)
      if (found.kind === 'file') return await sender.send(request, response, found.file)
      if (found.kind === 'moved') {
        return redirect(request, response, addressOf(found.to) + target.query)
      }
    }
    if (prefersJson(request.head.accept)) return sendSiteError(request, response, 'notFound')
    const page = await files.findNotFoundPage(site, path)
    if (!page) return sendSiteError(request, response, 'notFound')
    return await sender.send(request, response, page)
  }

  function recordRequest(request: PlainRequest, site: string, status: number): void {
    const labels = { environment: 'sites', operation: 'page', status }
    const milliseconds = performance.now() - request.startedAt
    metrics.observeRequest(labels, milliseconds / 1000)
    if (metrics.tracer) {
      request.environment = labels.environment
      request.operation = labels.operation
    }
    // Neither do scanners' requests for what does not exist fill the log.
    if ((status < 400 || status === 404) && !logsAllRequests) return
    const line = { requestId: request.head.requestId, ...labels, method: request.method, site }
    const level = status >= 500 ? 'error' : logsAllRequests ? 'debug' : 'info'
    // To protect visitors' privacy, paths are logged only at the debug level.
    const path = logsAllRequests ? { path: (request.url as string).split(/[?#]/, 1)[0] } : {}
    log[level]({ event: 'request.finished', ...line, ...path, milliseconds }, 'request')
  }

  return {
    answerPlain,
    /** Handles requests for the site with this slug, even if it does not exist. `calledBy` defaults to its own origin. */
    handlerFor(slug: string, calledBy?: string): Handler {
      return (request, response) => {
        request.environment = 'sites'
        request.operation = 'page'
        const record = (status: number) => recordRequest(request, slug, status)
        const fail = (error: unknown) => record(sendFailure(request, response, log, error))
        try {
          const answered = answer(request, response, slug, calledBy)
          return typeof answered === 'number' ? record(answered) : answered.then(record, fail)
        } catch (error) {
          return fail(error)
        }
      }
    },
  }
}

/** Redirects to the new address of a site, with the same path and query. */
function redirectTo(origin: string, request: ApiRequest, response: ServerResponse): number {
  const target = readTarget(request.url as string)
  if (target === 'malformed') return sendSiteError(request, response, 'malformed')
  if (target === 'nowhere') return sendSiteError(request, response, 'notFound')
  return redirect(request, response, origin + addressOf(target.path) + target.query)
}
