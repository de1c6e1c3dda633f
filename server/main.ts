// One process of the program, wired by hand from top to bottom: listener, store, accounts, publishing, the
// way from host to handler, upkeep, stop. cli/serve/serve.ts starts it, once for each worker.
import { isIP } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { firstProjectSources } from './first-project-sources.ts'
import { openAccounts } from './platform/accounts/open-accounts.ts'
import type { StreamLimits } from './platform/api/event-stream.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import { type Config, ConfigError } from './platform/config/config.ts'
import { type DashboardPages, dashboardPages } from './platform/dashboard/dashboard-pages.ts'
import type { Awaitable } from './platform/database/database.ts'
import { openDatabase } from './platform/database/open.ts'
import { AppError } from './platform/errors.ts'
import { createDeferred, type Deferred } from './platform/http/listener/deferred.ts'
import type { Handler, Limits } from './platform/http/listener/intake.ts'
import { defaultLimits, type Listener, listen } from './platform/http/listener/listener.ts'
import { sendError } from './platform/http/response/send-response.ts'
import type { HostDirectory } from './platform/http/tls/host-directory.ts'
import { listenSecurely, type SecureListener } from './platform/http/tls/secure-listener.ts'
import { createTicketKeys } from './platform/http/tls/ticket-keys.ts'
import type { Logger } from './platform/log.ts'
import { createManagementApp, managementPrefix } from './platform/management/app.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { addressList } from './platform/network/addresses.ts'
import { openSecrets } from './platform/secrets.ts'
import { operationsRoutes } from './platform/system/health-routes.ts'
import { openSystem, type SystemInProcess } from './platform/system/open-system.ts'
import { httpChallengePath } from './publishing/acme/resources/challenges.ts'
import { countCertificates } from './publishing/certificates/records/certificate-rows.ts'
import { countDeploysUnderWay } from './publishing/deploys/count-deploys-under-way.ts'
import { answerProbe, probePath } from './publishing/domains/evidence/probe.ts'
import { openOperatorCertificate } from './publishing/edge/operator-certificate.ts'
import { ownsProjects } from './publishing/projects/owns-projects.ts'
import { openPublishing, type Publishing } from './publishing/publishing.ts'
import { environmentNames } from './store/database/environment-name.ts'
import { type Outgoing, openStore, type Store } from './store/store.ts'

export interface Running {
  /** With the ports that were really bound. */
  config: Config
  store: Store
  publishing: Publishing
  system: SystemInProcess
  metrics: Metrics
  /** Finishes what has begun, within 10 seconds. */
  stop(): Promise<void>
}

export interface Wiring {
  clock?: Clock
  limits?: Partial<Limits>
  outgoing?: Outgoing
  streamLimits?: Partial<StreamLimits>
  /** The numbers of all workers; this process's own without it. */
  allMetrics?: () => Promise<string>
}

const keepUpEveryMs = 30_000
const finishWithinMs = 8_000
const closeWithinMs = 1_000

/** Starts a process on databases that prepareStore has prepared. */
export async function start(
  configured: Config,
  log: Logger,
  wiring: Wiring = {},
): Promise<Running> {
  const { clock = systemClock } = wiring
  const metrics = createMetrics()
  const limits = { ...defaultLimits, ...wiring.limits }
  // Before anything is open: what it refuses ends the start.
  const operators = openOperatorCertificate(configured, clock, log)
  const listener = await listen(configured.httpPort, configured.listenAddress, metrics, limits)
  const directory = createDeferred<HostDirectory>()
  // After the other one, in every worker: that is how they find the port that they share.
  const secureListener = await listenSecurelyTo(listener, configured, clock, directory)
  const config = withPorts(configured, listener.port, secureListener?.port)
  const store = await openStore(config, clock, metrics, log, wiring.outgoing)
  const onError = (error: Error): void => log.warn({ err: error }, 'database connection lost')
  const database = openDatabase(config, 'publishing', { onError, metrics })
  const accounts = openAccounts({
    config,
    database,
    allowances: store.limits,
    clock,
    ownsProjects,
  })
  const publishing = openPublishing(config, database, clock, metrics, log, operators)
  const system = openSystem({
    config,
    clock,
    metrics,
    limits: store.limits,
    databases: { ...store.databases, publishing: database, limits: store.limits },
    queues: store.queues,
    countDeploysUnderWay: () => countDeploysUnderWay(database),
    countCertificates: () => countCertificates(database, clock()),
  })
  const management = createManagementApp({
    routes: [...accounts.routes, ...store.routes, ...publishing.routes, ...system.routes],
    dashboardUrl: config.dashboardUrl,
    authenticate: accounts.authenticate,
    trustedProxies: addressList(config.trustedProxies),
    streamLimits: wiring.streamLimits,
    metrics,
    log,
  })
  let stopping = false

  const operations = operationsRoutes({
    isReady: async () => !stopping && (await store.isReady()),
    metrics: wiring.allMetrics ?? (() => metrics.registry.metrics()),
    metricsAllow: addressList(config.metricsAllow),
    trustedProxies: addressList(config.trustedProxies),
  })
  const dashboard = dashboardPages(metrics)
  directory.begin(publishing.directory)
  await publishing.begin(listener.connections)
  const { atHost, challenges, secured } = publishing
  const probes = answerProbe(openSecrets(config))
  const handlers = { operations, management, dashboard, probes, challenges, atHost, secured }
  listener.serve(createRoute(config, store, handlers))
  if (config.firstProject) {
    firstProjectSources(store)
      .then(publishing.deployFirstProject)
      .catch((error) => log.warn({ err: error }, 'the first project could not be deployed'))
  }

  const upkeep = setInterval(() => {
    Promise.all([store.keepUp(), accounts.keepUp(), publishing.keepUp(), system.keepUp()]).catch(
      (error) => log.warn({ err: error }, 'upkeep failed; tried again in a while'),
    )
  }, keepUpEveryMs)
  upkeep.unref()

  return {
    config,
    store,
    publishing,
    system,
    metrics,
    async stop() {
      stopping = true
      clearInterval(upkeep)
      await within(
        finishWithinMs,
        Promise.all([
          listener.stop(),
          secureListener?.stop(),
          store.stopWebhooks(),
          publishing.stop(),
        ]),
      )
      // A database that is silent must not hold up the end.
      const written = Promise.all([store.keepUp(), publishing.end(), system.end()]).catch(() => {})
      await within(
        closeWithinMs,
        written.then(() => Promise.all([store.close(), database.close()])),
      )
    },
  }
}

async function within(milliseconds: number, done: Promise<unknown>): Promise<void> {
  const late = new AbortController()
  await Promise.race([done, delay(milliseconds, undefined, { signal: late.signal, ref: false })])
  late.abort()
}

/** Where the host and path of a request lead. */
function createRoute(
  config: Config,
  store: Store,
  {
    atHost,
    challenges,
    dashboard,
    management,
    operations,
    probes,
    secured,
  }: {
    /** For hosts whose configured address says https. */
    secured: Publishing['secured']
    /** At every host, before anything else: whoever validates a host follows no redirects of ours. */
    challenges: Handler
    /** At every host: whoever asks wants to know whether it is this program that answers there. */
    probes: Handler
    operations: Map<string, Handler>
    management: Handler
    dashboard: DashboardPages
    atHost: Handler
  },
) {
  const addresses = { production: config.baseUrl, staging: config.stagingBaseUrl }
  const sites = environmentNames.map((name) => ({
    host: addresses[name].hostname,
    prefix: addresses[name].pathname,
    handler: store.handlers[name],
  }))
  const ours = new Set([...sites.map(({ host }) => host), config.dashboardUrl.hostname])
  const dashboardHost = config.dashboardUrl.hostname
  const elsewhere: Handler = (request, response) => {
    const message = `Nothing is served at this address. The API is at ${config.baseUrl.href} and ${config.stagingBaseUrl.href}.`
    sendError(request, response, new AppError('route_not_found', message))
  }

  const secureHosts = new Set(
    [config.baseUrl, config.stagingBaseUrl, config.dashboardUrl]
      .filter(({ protocol }) => protocol === 'https:')
      .map(({ hostname }) => hostname),
  )

  return (named: string, target: string): Handler => {
    // A laptop is called by its loopback addresses, too.
    const host = isLoopback(named) && ours.has('localhost') ? 'localhost' : named
    const end = target.search(/[?#]/)
    const path = end < 0 ? target : target.slice(0, end)
    if (path.startsWith(httpChallengePath)) return challenges
    const isAddress = isIP(named.replace(/^\[|\]$/g, '')) !== 0
    if (!ours.has(host) && !isAddress) return path.startsWith(probePath) ? probes : atHost
    const check = operations.get(path)
    const handler = findOurs(host, path, isAddress) ?? check ?? elsewhere
    // Whoever watches over us by plain HTTP goes on doing so.
    return secureHosts.has(host) && handler !== check ? secured(handler) : handler
  }

  function findOurs(host: string, path: string, isAddress: boolean): Handler | undefined {
    for (const { host: siteHost, prefix, handler } of sites) {
      if (
        host === siteHost &&
        path.startsWith(prefix) &&
        (path.length === prefix.length || path[prefix.length] === '/')
      ) {
        return handler
      }
    }
    if (host === dashboardHost || isAddress) {
      if (path === managementPrefix || path.startsWith(`${managementPrefix}/`)) return management
      const page = dashboard.handlerAt(path)
      if (page) return page
    }
    return undefined
  }
}

function isLoopback(host: string): boolean {
  return host === '127.0.0.1' || host === '[::1]'
}

/** Unless HTTPS is off. What is asked of hosts before there is a directory waits for it. */
async function listenSecurelyTo(
  listener: Listener,
  config: Config,
  clock: Clock,
  directory: Deferred<HostDirectory>,
): Promise<SecureListener | undefined> {
  const { httpsPort, listenAddress } = config
  if (httpsPort === undefined) return undefined
  // The secret is made when it is first needed, as all of them are.
  let keys: (() => Buffer) | undefined
  const ticketKeys = (): Buffer => {
    keys ??= createTicketKeys(openSecrets(config).derive('TLS session tickets'), clock)
    return keys()
  }
  const begun = <R>(ask: (known: HostDirectory) => Awaitable<R>): Awaitable<R> => {
    const known = directory.value()
    return known instanceof Promise ? known.then(ask) : ask(known)
  }
  try {
    return await listenSecurely(listener.intake, httpsPort, listenAddress, {
      directory: {
        certificateFor: (host) => begun((known) => known.certificateFor(host)),
        challengeFor: (host) => begun((known) => known.challengeFor(host)),
      },
      ticketKeys,
    })
  } catch (error) {
    await listener.stop()
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      const message = 'HTTPS_PORT is in use by another program: choose another port, or off.'
      throw new ConfigError(message)
    }
    if (code === 'EACCES') {
      const message = 'HTTPS_PORT needs rights that this user lacks: choose a port from 1024 on.'
      throw new ConfigError(message)
    }
    throw error
  }
}

/** Port 0 takes a free one; the addresses that were not configured follow it. */
function withPorts(config: Config, port: number, httpsPort: number | undefined): Config {
  const moved = (url: URL): URL => {
    if (url.port !== String(config.httpPort)) return url
    const copy = new URL(url)
    copy.port = String(port)
    return copy
  }
  return {
    ...config,
    httpPort: port,
    httpsPort,
    publicHttpsPort: config.publicHttpsPort || (httpsPort ?? 443),
    baseUrl: moved(config.baseUrl),
    stagingBaseUrl: moved(config.stagingBaseUrl),
    dashboardUrl: moved(config.dashboardUrl),
  }
}
