// Handles requests for published sites: finds the site and its file, and records metrics, logs and visits. The response
// depends only on the method, the address and standard HTTP headers. Cookies are never read or set: who may see a site is
// decided before (domains/edge/visitor-gate.ts). A file goes before a redirect of the site (`_redirects`) that is not forced.

import type { ServerResponse } from 'node:http'
import { type Awaitable, type Database, withValue } from '#kit/database/database.ts'
import type { Handler } from '#kit/http/listener/intake.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import type { PlainRequest, PlainResponse } from '#kit/http/response/ready-response.ts'
import type { Logger } from '#kit/log.ts'
import type { Metrics } from '#kit/metrics.ts'
import { addressOf, readTarget } from '#renderer/site-files/requested-path.ts'
import { prepareQuery } from '../database/tables.ts'
import { createObjectReader, type ObjectReader } from '../objects/read-objects.ts'
import { toVisibility } from '../projects/project-roles.ts'
import { isView, isVisit, readSource, type VisitCounter } from '../visits/visit-counter.ts'
import { createFileSender } from './file-sender.ts'
import { createFileFinder, type FileFinder } from './find-file.ts'
import { leadsInCircle, pathWithin, type Redirect } from './redirects.ts'
import { notStored, redirect, sendNothing } from './response-headers.ts'
import {
  cachingOf,
  createFileCache,
  createSite,
  type FoundFile,
  type PublishedFile,
  type Site,
} from './site.ts'
import { prefersJson, sendFailure, sendSiteError } from './site-error.ts'

type FoundSite =
  | { kind: 'site'; site: Site }
  /** The project has a new slug. */
  | { kind: 'renamed'; slug: string }
  | { kind: 'nothing published' }
  | { kind: 'unknown' }

const maxRemembered = 10_000

const bySlug = prepareQuery<{ slug: string }>()((db, param) =>
  db
    .selectFrom('slugs')
    .innerJoin('projects', 'projects.id', 'slugs.project_id')
    .leftJoin('deploys', (join) =>
      join
        .onRef('deploys.project_id', '=', 'projects.id')
        .onRef('deploys.number', '=', 'projects.live_deploy'),
    )
    .leftJoin('slugs as current', (join) =>
      join.onRef('current.project_id', '=', 'slugs.project_id').on('current.is_current', '=', 1n),
    )
    .select(['slugs.is_current', 'projects.id', 'projects.live_deploy', 'deploys.kind'])
    .select('projects.visibility')
    .select('current.slug as current_slug')
    .where('slugs.slug', '=', param('slug')),
)

type PreviewOfSite = Pick<Site, 'projectId' | 'number' | 'isRendered' | 'isPrivate'>

/**
 * Finds a site by slug. Results are cached until the version of publishing changes, so that the next request sees a new
 * live deploy, even if another process switched it. `forget` is called with a site whose deploy is not live any more.
 */
function createSiteFinder(
  database: Database,
  versions: () => Awaitable<bigint>,
  forget: (site: Site) => void,
) {
  const bySlugNow = new Map<string, { version: bigint; found: FoundSite }>()
  // One per project, so that its files are cached once for all its hosts.
  const sites = new Map<string, Site>()

  async function ask(slug: string, version: bigint): Promise<FoundSite> {
    const [row] = await database.read.all(bySlug, { slug })
    if (!row) {
      // Unknown slugs are not cached, because their number is unlimited.
      bySlugNow.delete(slug)
      return { kind: 'unknown' }
    }
    const site = foundIn(row)
    if (bySlugNow.size >= maxRemembered) bySlugNow.clear()
    bySlugNow.set(slug, { version, found: site })
    return site
  }

  function foundIn(row: NonNullable<(typeof bySlug)['row']>): FoundSite {
    const { id, is_current, live_deploy, current_slug, kind, visibility } = row
    if (is_current !== 1n) {
      return current_slug === null ? { kind: 'unknown' } : { kind: 'renamed', slug: current_slug }
    }
    if (live_deploy === null) return { kind: 'nothing published' }
    const before = sites.get(id)
    const isPrivate = toVisibility(visibility) !== 'public'
    if (before?.number === live_deploy && before.isPrivate === isPrivate)
      return { kind: 'site', site: before }
    if (before) forget(before)
    const site = createSite(id, live_deploy, { isRendered: kind !== 'ready', isPrivate })
    if (sites.size >= maxRemembered) sites.clear()
    sites.set(id, site)
    return { kind: 'site', site }
  }

  /** Of previews, by project and number: their deploys never change. */
  const previews = new Map<string, Site>()

  return {
    /** A deploy that a preview shows. */
    findPreview({ isPrivate, isRendered, number, projectId }: PreviewOfSite): Site {
      const key = `${projectId} ${number} ${isPrivate}`
      if (previews.size >= maxRemembered) previews.clear()
      return previews.getOrInsertComputed(key, () =>
        createSite(projectId, number, { isRendered, isPrivate, isPreview: true }),
      )
    },
    /** The current state: includes all commits that were acknowledged before the call. */
    find(slug: string): Awaitable<FoundSite> {
      if (!/^[a-z0-9-]{1,63}$/.test(slug)) return { kind: 'unknown' }
      return withValue(versions(), (version) => {
        const cached = bySlugNow.get(slug)
        return cached?.version === version ? cached.found : ask(slug, version)
      })
    },
  }
}

interface SitesContext {
  database: Database
  /** Reads files that are not in the database. */
  objects?: ObjectReader
  /** See publishedVersions. */
  versions: () => Awaitable<bigint>
  /** The origin of the site with this slug, without a slash at the end: `http://x.docs.localhost:8080`. */
  origin: (slug: string) => string
  /** Counts what visitors do. */
  visits?: VisitCounter | undefined
  metrics: Metrics
  log: Logger
  /** Maximum memory of the file cache, which all sites share. */
  maxBytes?: number
}

export type Sites = ReturnType<typeof createSites>

const allowed = 'GET, HEAD, OPTIONS'
/** Requested by renderer/site/theme/search.js and site.js. */
const searchReportPath = '_site/nothing-found'
const answerPath = '_site/helpful'
const answers = new Map([
  ['yes', 'helpful' as const],
  ['no', 'not_helpful' as const],
])

export function createSites(context: SitesContext) {
  const { database, log, metrics, maxBytes = 64 * 1024 * 1024, origin, visits } = context
  const cache = createFileCache(maxBytes)
  const { objects = createObjectReader(undefined, log) } = context
  const source = { read: database.read, objects }
  const files = createFileFinder(source, cache)
  const sites = createSiteFinder(database, context.versions, files.forget)
  const sender = createFileSender(source, cache)
  const logsAllRequests = log.isLevelEnabled('debug')

  function respond(
    request: ApiRequest,
    response: ServerResponse,
    slug: string,
    calledBy: string | undefined,
    isAuthorized: boolean,
  ): Awaitable<number> {
    const refused = refuseMethod(request, response)
    if (refused !== undefined) return refused
    return withValue(sites.find(slug), (site) => {
      switch (site.kind) {
        case 'site':
          // It is private since its host was found: the next request meets the gate.
          if (site.site.isPrivate && !isAuthorized) return askAgain(request, response)
          return serve(request, response, site.site, () => calledBy ?? origin(slug))
        case 'renamed':
          return redirectTo(origin(site.slug), request, response)
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
    return withValue(sender.send(request, response, cached), (status) =>
      countView(request, site, cached, status),
    )
  }

  /** Returns the status. */
  function countView(
    { head, method }: PlainRequest,
    site: Site,
    file: PublishedFile,
    status: number,
  ): number {
    if (visits && !site.isPreview && file.isPage && isView(head, method, status)) {
      file.views = visits.viewsOf(file.views, site.projectId, () => pageNameOf(file.facts.path))
      file.views.count++
      const source = readSource(head)
      if (source !== undefined) {
        site.source = visits.sourceOf(site.source, site.projectId, source)
        site.source.count++
      }
    }
    return status
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
      const site = found.kind === 'site' && !found.site.isPrivate ? found.site : undefined
      const file = site && findCached(request, site)
      const plain = file && sender.findPlain(request, file)
      if (!plain) return false
      send(plain)
      countView(request, site, file, plain.head.status)
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
      if (site.isRendered && path === searchReportPath) {
        return countSearch(request, response, site, target.query)
      }
      if (site.isRendered && path === answerPath) {
        return await countAnswer(request, response, site, origin, target.query)
      }
      const page = await findPage(files, site, origin, path)
      if (page.kind === 'file') {
        const status = await sender.send(request, response, page.file)
        return countView(request, site, page.file, status)
      }
      if (page.kind === 'moved') {
        const location = addressOf(page.to) + target.query
        return redirect(request, response, location, 308, cachingOf(site))
      }
      if (page.kind === 'redirected') {
        const location = withQuery(page.location, target.query)
        return redirect(request, response, location, page.status, cachingOf(site))
      }
    }
    if (!site.isPreview && isVisit(request.head)) {
      const missing = target === 'nowhere' ? pathOf(request.url as string) : `/${path}`
      visits?.count(site.projectId, 'not_found', missing)
    }
    if (prefersJson(request.head.accept)) return sendSiteError(request, response, 'notFound')
    const page = await files.findNotFoundPage(site, path)
    if (!page) return sendSiteError(request, response, 'notFound')
    return await sender.send(request, response, page)
  }

  /** The script of rendered sites reports what was searched for and not found. */
  function countSearch(
    request: ApiRequest,
    response: ServerResponse,
    { isPreview, projectId }: Site,
    query: string,
  ): number {
    const text = new URLSearchParams(query).get('q')?.trim().toLowerCase() ?? ''
    if (text !== '' && !isPreview && isOwnVisit(request)) visits?.count(projectId, 'search', text)
    return sendNothing(request, response, 204, ['Cache-Control', 'no-store'])
  }

  /** The script of rendered sites reports whether a page was helpful: one that there is. */
  async function countAnswer(
    request: ApiRequest,
    response: ServerResponse,
    site: Site,
    origin: string,
    query: string,
  ): Promise<number> {
    const given = new URLSearchParams(query)
    const target = readTarget(given.get('page') || 'none')
    const kind = answers.get(given.get('answer') ?? '')
    if (typeof target !== 'string' && kind && !site.isPreview && isOwnVisit(request)) {
      const page = await files.find(site, origin, target.path)
      if (page.kind === 'file' && page.file.isPage)
        visits?.count(site.projectId, kind, pageNameOf(page.file.facts.path))
    }
    return sendNothing(request, response, 204, ['Cache-Control', 'no-store'])
  }

  function recordRequest(request: PlainRequest, site: string, status: number): void {
    const labels = { environment: 'sites', operation: 'page', status }
    const milliseconds = performance.now() - request.startedAt
    metrics.observeRequest(labels, milliseconds / 1000)
    // Visitors do not fill the log.
    if (status < 500 && !logsAllRequests) return
    const line = { requestId: request.head.requestId, ...labels, method: request.method, site }
    const level = status >= 500 ? 'error' : 'debug'
    // To protect visitors' privacy, paths are logged only at the debug level.
    const path = logsAllRequests ? { path: pathOf(request.url as string) } : {}
    log[level]({ event: 'request.finished', ...line, ...path, milliseconds }, 'request')
  }

  function handle(
    request: ApiRequest,
    response: ServerResponse,
    site: string,
    send: () => Awaitable<number>,
  ): unknown {
    request.environment = 'sites'
    request.operation = 'page'
    const record = (status: number) => recordRequest(request, site, status)
    const fail = (error: unknown) => record(sendFailure(request, response, log, error))
    try {
      const status = send()
      return typeof status === 'number' ? record(status) : status.then(record, fail)
    } catch (error) {
      return fail(error)
    }
  }

  return {
    answerPlain,
    /**
     * Handles requests for the site with this slug, even if it does not exist. `calledBy` defaults to its own origin.
     * `isAuthorized`: the visitor may see it, if not everyone may.
     */
    handlerFor(slug: string, calledBy?: string, isAuthorized = false): Handler {
      return (request, response) =>
        handle(request, response, slug, () =>
          respond(request, response, slug, calledBy, isAuthorized),
        )
    },
    /** Handles requests for the deploy of a preview, which is called by `calledBy`. */
    previewHandler(preview: ShownPreview, calledBy: string): Handler {
      const { label } = preview
      return (request, response) =>
        handle(request, response, label, () => {
          const site = sites.findPreview(preview)
          return refuseMethod(request, response) ?? serve(request, response, site, () => calledBy)
        })
    },
  }
}

/** The deploy that a preview shows. */
interface ShownPreview extends PreviewOfSite {
  /** Of its host, for the log. */
  label: string
}

/** Answers what is neither GET nor HEAD. Returns the status. */
function refuseMethod(request: ApiRequest, response: ServerResponse): number | undefined {
  const { method } = request
  if (method === 'GET' || method === 'HEAD') return undefined
  if (method === 'OPTIONS') return sendNothing(request, response, 204, ['Allow', allowed])
  return sendSiteError(request, response, 'method', { Allow: allowed })
}

/** Other sites cannot report with the help of their visitors. */
const isOwnVisit = ({ head }: ApiRequest): boolean => head.isSameOrigin && isVisit(head)

const pathOf = (url: string): string => url.split(/[?#]/, 1)[0] as string

/** `/guide/` for `guide/index.html`, `/guide` for `guide.html`: the same for each address of the page. */
function pageNameOf(path: string): string {
  return `/${path.replace(/(?:(?<=^|\/)index)?\.html?$/, '')}`
}

/** The query of the request stays, unless the target of the rule has its own. */
function withQuery(location: string, query: string): string {
  const [address = '', fragment] = location.split('#', 2)
  const own = address.includes('?') ? '' : query
  return fragment === undefined ? address + own : `${address}${own}#${fragment}`
}

function askAgain(request: ApiRequest, response: ServerResponse): number {
  const target = readTarget(request.url as string)
  const address = typeof target === 'string' ? '/' : addressOf(target.path) + target.query
  return redirect(request, response, address, 307, notStored)
}

/** Redirects to the new address of a site, with the same path and query. */
function redirectTo(origin: string, request: ApiRequest, response: ServerResponse): number {
  const target = readTarget(request.url as string)
  if (target === 'malformed') return sendSiteError(request, response, 'malformed')
  if (target === 'nowhere') return sendSiteError(request, response, 'notFound')
  return redirect(request, response, origin + addressOf(target.path) + target.query)
}

type FoundPage =
  | FoundFile
  /** By a rule of the site. `location` may be of another site. */
  | { kind: 'redirected'; location: string; status: number }

/** `path` and `origin` are as for `files.find`. */
async function findPage(
  files: FileFinder,
  site: Site,
  origin: string,
  path: string,
): Promise<FoundPage> {
  const table = await files.redirectsOf(site)
  const own = table?.find(path)
  if (!table || !own) return await files.find(site, origin, path)
  const find = (other: string): Promise<FoundFile> => files.find(site, origin, other, true)
  const isThere = async (other: string): Promise<boolean> => (await find(other)).kind !== 'missing'

  async function follow({ location, rule }: Redirect): Promise<FoundPage | undefined> {
    if (rule.status === 200) return await show(pathWithin({ location }))
    if (table && own && (await leadsInCircle(table, own, isThere))) return undefined
    return { kind: 'redirected', location, status: rule.status }
  }

  async function show(target: string | undefined): Promise<FoundFile | undefined> {
    if (target === undefined) return undefined
    const site = await find(target)
    const shown = site.kind === 'moved' ? await find(site.to) : site
    return shown.kind === 'file' ? shown : undefined
  }

  const forced = own.rule.isForced ? await follow(own) : undefined
  if (forced) return forced
  const file = await files.find(site, origin, path)
  if (file.kind !== 'missing' || own.rule.isForced) return file
  return (await follow(own)) ?? file
}
