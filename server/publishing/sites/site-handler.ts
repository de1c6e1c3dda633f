// Handles requests for published sites: finds the site, and records metrics and logs. The response depends only on
// the method, the path and standard HTTP headers. Cookies are never read or set.
import type { ServerResponse } from 'node:http'
import type { Awaitable, Database } from '../../platform/database/database.ts'
import { toAppError } from '../../platform/errors.ts'
import type { Handler } from '../../platform/http/listener/intake.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { createSiteFinder, type FoundSite } from './find-site.ts'
import { addressOf, readTarget } from './requested-path.ts'
import { redirect, sendNothing } from './response-headers.ts'
import { createSiteServer } from './serve-site.ts'
import { sendSiteError } from './site-error.ts'

export interface SitesContext {
  database: Database
  /** See publishedVersions. */
  versions: () => Awaitable<bigint>
  /** The origin of the site with this slug, without a slash at the end: `http://x.docs.localhost:8080`. */
  origin: (slug: string) => string
  metrics: Metrics
  log: Logger
  /** Maximum memory of the file cache of all sites. */
  maxBytes?: number
}

export interface Sites {
  /** Handles requests for the site with this slug, even if it does not exist. `origin` defaults to the site's own. */
  handlerFor(slug: string, origin?: string): Handler
}

const allowed = 'GET, HEAD, OPTIONS'

export function createSites(context: SitesContext): Sites {
  const { database, log, metrics, maxBytes = 64 * 1024 * 1024, origin } = context
  const sites = createSiteFinder(database, context.versions)
  const serve = createSiteServer(database, maxBytes)
  const logsAllRequests = log.isLevelEnabled('debug')

  function answer(
    request: ApiRequest,
    response: ServerResponse,
    slug: string,
    calledBy: string | undefined,
  ): number | Promise<number> {
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD') {
      if (method === 'OPTIONS') return sendNothing(request, response, 204, ['Allow', allowed])
      return sendSiteError(request, response, 'method', { Allow: allowed })
    }
    const found = sites.find(slug)
    return found instanceof Promise
      ? found.then((known) => answerFor(request, response, slug, calledBy, known))
      : answerFor(request, response, slug, calledBy, found)
  }

  function answerFor(
    request: ApiRequest,
    response: ServerResponse,
    slug: string,
    calledBy: string | undefined,
    found: FoundSite,
  ): number | Promise<number> {
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
  }

  function fail(request: ApiRequest, response: ServerResponse, thrown: unknown): number {
    const error = toAppError(thrown)
    log.error({ requestId: request.head.requestId, err: error.cause ?? error }, error.code)
    if (response.headersSent) {
      // Too late for an error response: the client must notice that this one is incomplete.
      response.destroy()
      return error.status
    }
    const name = error.code === 'unavailable' ? 'unavailable' : 'internal'
    return sendSiteError(request, response, name, error.headers)
  }

  function recordRequest(request: ApiRequest, site: string, status: number): void {
    const labels = { environment: 'sites', operation: 'page', status }
    const milliseconds = performance.now() - request.startedAt
    metrics.observeRequest(labels, milliseconds / 1000)
    if (status < 400 && !logsAllRequests) return
    const line = { requestId: request.head.requestId, ...labels, method: request.method, site }
    const level = status >= 500 ? 'error' : logsAllRequests ? 'debug' : 'info'
    // To protect visitors' privacy, paths are logged only at the debug level.
    const path = logsAllRequests ? { path: (request.url as string).split(/[?#]/, 1)[0] } : {}
    log[level]({ ...line, ...path, milliseconds }, 'request')
  }

  return {
    handlerFor: (slug, calledBy) => (request, response) => {
      request.environment = 'sites'
      request.operation = 'page'
      try {
        const answered = answer(request, response, slug, calledBy)
        if (typeof answered === 'number') {
          recordRequest(request, slug, answered)
          return
        }
        answered.then(
          (status) => recordRequest(request, slug, status),
          (error) => recordRequest(request, slug, fail(request, response, error)),
        )
      } catch (error) {
        recordRequest(request, slug, fail(request, response, error))
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
