// Handles requests to hosts other than the program's own: serves a site, redirects, or answers that nothing is served.
// Every request looks up its host again, so that an open connection cannot reach a removed host.
import type { ServerResponse } from 'node:http'
import { getDomain } from 'tldts'
import { type Config, ownHostsOf } from '#kit/config/config.ts'
import { type Awaitable, withValue } from '#kit/database/database.ts'
import type { Connections } from '#kit/http/listener/connections.ts'
import type { Handler } from '#kit/http/listener/intake.ts'
import { nothingServed } from '#kit/http/listener/refusals.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import type { PlainRequest, PlainResponse } from '#kit/http/response/ready-response.ts'
import type { Logger } from '#kit/log.ts'
import type { Metrics } from '#kit/metrics.ts'
import { sendErrorOrPage, sendFailure, sendSiteError } from '#publishing/sites/site-error.ts'
import type { Sites } from '#publishing/sites/site-handler.ts'
import { addressOf, readTarget } from '#renderer/site-files/requested-path.ts'
import type { FoundHost, FoundPreview, HostFinder } from './find-host.ts'
import {
  isRedirectedToHttps,
  isTrusted,
  redirectToHost,
  redirectToHttps,
  strictTransport,
} from './redirects-and-challenges.ts'
import type { VisitorGate } from './visitor-gate.ts'

interface HostHandlerContext {
  hosts: HostFinder
  sites: Sites
  visitorGate: VisitorGate
  origins: HostOrigins
  platformHost: string
  /** Undefined until the listener has started. */
  connections: () => Connections | undefined
  /** The port by which clients reach HTTPS; undefined without HTTPS. */
  publicHttpsPort: number | undefined
  metrics: Metrics
  log: Logger
}

/**
 * What the site of an earlier project has left in browsers: service workers and stored data, and files cached without
 * revalidation (Clear-Site-Data, W3C). Not cookies: those are of the whole registrable domain.
 */
const clearSiteData = ['Clear-Site-Data', '"cache", "storage"']

const notIndexed = { 'X-Robots-Tag': 'noindex' }

/** Handles a request by its host. */
export function createHostHandler(context: HostHandlerContext): Handler {
  const { connections, hosts, log, metrics, origins, platformHost, publicHttpsPort, sites } =
    context
  const below = `.${platformHost}`
  const toHttps = publicHttpsPort === undefined ? undefined : redirectToHttps(publicHttpsPort)

  function answer(request: ApiRequest, response: ServerResponse, host: FoundHost | undefined) {
    const status = host ? answerFor(request, response, host) : answerUnknown(request, response)
    if (status !== undefined) observe(request, status)
  }

  /** Returns the status; undefined when a site answers, which records its own metrics. */
  function answerFor(
    request: ApiRequest,
    response: ServerResponse,
    host: FoundHost,
  ): number | undefined {
    const { redirect, serving, slug } = host
    if (serving === 'off') return sendNothingServed(request, response)
    addHostHeaders(request, host)
    if (serving === 'suspended') return sendSiteError(request, response, 'suspended', notIndexed)
    if (redirect) {
      const origin = origins.of(redirect.to, redirect.isSecure)
      return redirectToHost(request, response, origin, redirect.status)
    }
    if (slug === undefined && !host.preview) return sendNothingServed(request, response)
    if (toHttps && isRedirectedToHttps(request, host)) {
      toHttps(request, response)
      return response.statusCode
    }
    const origin = prepareSite(request, host)
    const gate = context.visitorGate(request, response, host.host, host.restriction)
    const show = (status: number | undefined): void => {
      if (status !== undefined) observe(request, status)
      else showSite(request, response, host, origin)
    }
    if (gate instanceof Promise) {
      const fail = (error: unknown) => observe(request, sendFailure(request, response, log, error))
      gate.then(show).catch(fail)
    } else show(gate)
    return undefined
  }

  /** To a visitor who may see it. */
  function showSite(
    request: ApiRequest,
    response: ServerResponse,
    host: FoundHost,
    origin: string | undefined,
  ): void {
    const { preview, slug } = host
    if (slug !== undefined) sites.handlerFor(slug, origin, true)(request, response)
    else if (preview) showPreview(request, response, host, preview)
  }

  function showPreview(
    request: ApiRequest,
    response: ServerResponse,
    { certificate, host, restriction }: FoundHost,
    { number, ...preview }: FoundPreview,
  ): void {
    if (number === null) {
      observe(request, sendSiteError(request, response, 'previewNotBuilt'))
      return
    }
    const origin = origins.of(host, certificate?.isTrusted === true)
    const shown = { ...preview, number, isPrivate: restriction !== undefined }
    sites.previewHandler(shown, origin)(request, response)
  }

  function observe(request: ApiRequest, status: number): void {
    const seconds = (performance.now() - request.startedAt) / 1000
    metrics.observeRequest({ environment: 'edge', operation: 'host', status }, seconds)
  }

  function answerPlain(
    request: PlainRequest,
    send: (plain: PlainResponse) => void,
    host: FoundHost | undefined,
  ): Awaitable<boolean> {
    if (host?.slug === undefined || host.redirect || host.restriction) return false
    if (host.serving !== 'https' && host.serving !== 'http_only') return false
    if (toHttps && isRedirectedToHttps(request, host)) return false
    addHostHeaders(request, host)
    prepareSite(request, host)
    return sites.answerPlain(request, send, host.slug)
  }

  function addHostHeaders(request: PlainRequest, host: FoundHost): void {
    // Never sent over plain HTTP (RFC 6797, section 7.2).
    if (isTrusted(host) && request.isSecure) request.fixedHeaders = strictTransport
    if (host.isReused && !isSubresource(request))
      request.fixedHeaders = [...request.fixedHeaders, ...clearSiteData]
  }

  /** Adds the headers of the site at this host. Returns the origin by which it is called; undefined for its own. */
  function prepareSite(
    request: PlainRequest,
    { certificate, host, preview, primary, restriction }: FoundHost,
  ): string | undefined {
    connections()?.serves(request.socket, host)
    const isOfPlatform = host.endsWith(below)
    const canonicalHost = primary ?? host
    const canonical = origins.of(canonicalHost, certificate !== undefined || primary !== undefined)
    const isElsewhere = canonicalHost !== host
    const link = isElsewhere ? canonicalLink(request.url as string, canonical) : []
    const isHidden = preview || restriction || (isElsewhere && isOfPlatform)
    const robots = isHidden ? Object.entries(notIndexed).flat() : []
    if (isElsewhere || isHidden)
      request.fixedHeaders = [...request.fixedHeaders, ...link, ...robots]
    // Browsers do not trust the internal authority: the site's address remains the configured one.
    const isOwnOrigin = canonicalHost === host && isOfPlatform && certificate?.isTrusted !== true
    return isOwnOrigin ? undefined : canonical
  }

  function answerUnknown(request: ApiRequest, response: ServerResponse): number | undefined {
    const { host = '' } = request.head
    const slug = host.endsWith(below) ? host.slice(0, -below.length) : '.'
    if (slug.includes('.')) return sendNothingServed(request, response)
    sites.handlerFor(slug)(request, response)
    return undefined
  }

  const handle: Handler = (request, response) => {
    const fail = (error: unknown) => sendFailure(request, response, log, error)
    try {
      const answered = withValue(hosts.find(request.head.host ?? ''), (host) =>
        answer(request, response, host),
      )
      return answered instanceof Promise ? answered.catch(fail) : undefined
    } catch (error) {
      return fail(error)
    }
  }
  handle.answerPlain = (request, send) =>
    withValue(hosts.find(request.head.host ?? ''), (host) => answerPlain(request, send, host))
  return handle
}

/** What a page loads: browsers would clear for each. Service worker scripts are none, nor what old browsers request. */
function isSubresource({ headers }: PlainRequest): boolean {
  const destination = headers['sec-fetch-dest']
  return destination !== undefined && !cleared.has(destination as string)
}

const cleared = new Set(['document', 'iframe', 'frame', 'serviceworker'])

/** The same response as for an unknown host. Returns the status. */
function sendNothingServed(request: ApiRequest, response: ServerResponse): number {
  return sendErrorOrPage(request, response, nothingServed(request.head.host ?? ''), {
    title: 'No site at this address',
    text: 'The domain points to this server, but no project serves it. If it is yours, add it to a project under Project settings, Domains, and verify it. If you have removed it, delete its DNS record.',
  })
}

/** A Link header, as name and value; empty if the target is not a page. `origin` has no slash at the end. */
function canonicalLink(target: string, origin: string): string[] {
  const read = readTarget(target)
  if (typeof read === 'string') return []
  return ['Link', `<${origin}${addressOf(read.path)}>; rel="canonical"`]
}

type HostOrigins = ReturnType<typeof hostOrigins>

/** The origin by which visitors reach a host. */
export function hostOrigins({
  dashboardUrl,
  httpsPort,
  publicHttpsPort,
}: Pick<Config, 'dashboardUrl' | 'httpsPort' | 'publicHttpsPort'>) {
  const secure = publicHttpsPort === 443 ? '' : `:${publicHttpsPort}`
  // Without HTTPS here, a proxy may terminate TLS: see the dashboard's URL.
  const { port, protocol } = dashboardUrl
  const plain = port === '' || protocol === 'https:' ? '' : `:${port}`
  return {
    /** Without a slash at the end, such as `https://docs.example.com`. */
    of(host: string, isSecure: boolean): string {
      if (httpsPort === undefined) return `${protocol}//${host}${port === '' ? '' : `:${port}`}`
      return isSecure ? `https://${host}${secure}` : `http://${host}${plain}`
    },
  }
}

interface MembersSiteContext {
  hosts: HostFinder
  origins: HostOrigins
  /** Of a host below the platform host, by its label. */
  siteOrigin(label: string): string
  platformHost: string
}

/**
 * Finds the project whose members alone may see the site of a host, and the origin by which they reach it; undefined for
 * other hosts.
 */
export function createMembersSiteFinder(context: MembersSiteContext) {
  const { hosts, origins, platformHost, siteOrigin } = context
  const below = `.${platformHost}`

  return (host: string): Awaitable<{ projectId: string; origin: string } | undefined> =>
    withValue(hosts.find(host), (found) => {
      if (found?.restriction?.kind !== 'members') return undefined
      if (found.serving !== 'https' && found.serving !== 'http_only') return undefined
      const { certificate, restriction } = found
      // Browsers do not trust the internal authority: the site's address remains the configured one.
      const isConfigured = host.endsWith(below) && certificate?.isTrusted !== true
      const origin = isConfigured
        ? siteOrigin(host.slice(0, -below.length))
        : origins.of(host, certificate !== undefined)
      return { projectId: restriction.projectId, origin }
    })
}

/**
 * At which hosts a 431 deletes the cookies that caused it (kit/http/listener/refusals.ts): those that are served,
 * unless they share the registrable domain with the dashboard or an API. Browsers delete cookies of the whole registrable
 * domain, which would sign people out.
 */
export function createCookieClearing(hosts: HostFinder, config: Config) {
  const ownSites = new Set(ownHostsOf(config).map(siteOf))
  return (host: string): Awaitable<boolean> => {
    if (ownSites.has(siteOf(host))) return false
    return withValue(hosts.find(host), (host) => host !== undefined && host.serving !== 'off')
  }
}

/** The registrable domain; the host itself if it is one, an address or a single label. */
function siteOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}
