// Finds the handler of a request by its host and path: ACME challenges and probes at every host, then the
// program's own hosts (APIs, dashboard, operations), then published sites.
import { isIP } from 'node:net'
import type { Config } from '#kit/config/config.ts'
import type { DashboardPages } from '#kit/dashboard/dashboard-pages.ts'
import { AppError } from '#kit/errors.ts'
import type { Handler } from '#kit/http/listener/intake.ts'
import { managementPrefix } from '#kit/management/app.ts'
import { loopback } from '#kit/network/addresses.ts'
import { sendErrorOrPage } from '#publishing/sites/site-error.ts'

interface RoutedHandlers {
  /** One for each environment. */
  apis: { baseUrl: URL; handler: Handler }[]
  /** At every host, before anything else: a client that validates a host must not be redirected. */
  challenges: { prefix: string; handler: Handler }
  /** At every host: a probe asks whether this program answers there. */
  probes: { prefix: string; handler: Handler }
  /** By path, at the program's own hosts. */
  operations: Map<string, Handler>
  management: Handler
  dashboard: DashboardPages
  /** For every other host. */
  hostHandler: Handler
  /** Wraps the handlers of hosts whose configured address says https. */
  secured: (handler: Handler) => Handler
}

export function createRoute(
  { baseUrl, dashboardUrl, stagingBaseUrl }: Config,
  handlers: RoutedHandlers,
): (host: string, target: string) => Handler {
  const { hostHandler, challenges, dashboard, management, operations, probes, secured } = handlers
  const apis = handlers.apis.map(({ baseUrl: { hostname, pathname }, handler }) => ({
    host: hostname,
    prefix: pathname,
    handler,
  }))
  const dashboardHost = dashboardUrl.hostname
  const ownHosts = new Set([...apis.map(({ host }) => host), dashboardHost])
  const secureHosts = new Set(
    [baseUrl, stagingBaseUrl, dashboardUrl]
      .filter(({ protocol }) => protocol === 'https:')
      .map(({ hostname }) => hostname),
  )
  const elsewhere: Handler = (request, response) => {
    const message = `Nothing is served at this address. The API is at ${baseUrl.href} and ${stagingBaseUrl.href}, the dashboard at ${dashboardUrl.href}.`
    sendErrorOrPage(request, response, new AppError('route_not_found', message), {
      title: 'Page not found',
      text: 'There is no page at this address. Check the address for typing errors.',
      link: { to: dashboardUrl.href, text: 'Open the dashboard' },
    })
  }

  return (named, target) => {
    // The loopback addresses of a laptop stand for localhost.
    const isLoopback = named === '127.0.0.1' || named === '[::1]'
    const host = isLoopback && ownHosts.has('localhost') ? 'localhost' : named
    // What stands before the query and the fragment.
    const end = target.search(/[?#]/)
    const path = end < 0 ? target : target.slice(0, end)
    if (path.startsWith(challenges.prefix)) return challenges.handler
    const address = named.startsWith('[') ? named.slice(1, -1) : named
    const isNamed = ownHosts.has(host) || isIP(address) === 0
    if (isNamed && path.startsWith(probes.prefix)) return probes.handler
    if (!ownHosts.has(host) && isNamed) return hostHandler
    const check = operations.get(path)
    let handler: Handler | undefined
    for (const api of apis) {
      const isBelow = host === api.host && path.startsWith(api.prefix)
      const next = path[api.prefix.length]
      if (isBelow && (next === undefined || next === '/')) handler ??= api.handler
    }
    // Not at the machine's other addresses, which have no origin and no certificate of their own.
    if (!handler && (host === dashboardHost || loopback.has(address))) {
      const isManagement = path === managementPrefix || path.startsWith(`${managementPrefix}/`)
      handler = isManagement ? management : dashboard.handlerAt(path)
    }
    handler ??= check ?? elsewhere
    // Health checks and metrics stay available by plain HTTP.
    return secureHosts.has(host) && handler !== check ? secured(handler) : handler
  }
}
