// One process of the program, wired by hand from top to bottom: listener, store, accounts, publishing, the
// way from host to handler, upkeep, stop. cli/serve/serve-store.ts starts it, once for each worker.
import { setTimeout as delay } from 'node:timers/promises'
import { openAccounts } from '#accounts/open-accounts.ts'
import type { PasswordOptions } from '#accounts/people/passwords.ts'
import { httpChallengePath } from '#acme/resources/orders.ts'
import { countCertificates } from '#domains/certificates/records/certificate-rows.ts'
import { openOperatorCertificate } from '#domains/edge/operator-certificate.ts'
import { answerProbe, probePath } from '#domains/evidence/fetch-at-address.ts'
import type { StreamLimits } from '#kit/api/event-stream.ts'
import { openBackups } from '#kit/backups/open-backups.ts'
import { type Clock, systemClock } from '#kit/clock.ts'
import { type Config, ConfigError } from '#kit/config/config.ts'
import { dashboardPages } from '#kit/dashboard/dashboard-pages.ts'
import { type Awaitable, withValue } from '#kit/database/database.ts'
import { defaultLimits, type Limits } from '#kit/http/limits.ts'
import { createDeferred, type Deferred, type Listener, listen } from '#kit/http/listener/intake.ts'
import { createRequestBatches } from '#kit/http/request-batches.ts'
import { createTicketKeys, type HostDirectory } from '#kit/http/tls/secure-contexts.ts'
import { listenSecurely, type SecureListener } from '#kit/http/tls/secure-listener.ts'
import { startPollLoop } from '#kit/jobs/poll-loop.ts'
import { repeatWhileAway } from '#kit/jobs/wait-for-database.ts'
import type { Logger } from '#kit/log.ts'
import { createManagementApp } from '#kit/management/app.ts'
import { openAudit } from '#kit/management/audit-routes.ts'
import { createMetrics } from '#kit/metrics.ts'
import { addressList } from '#kit/network/addresses.ts'
import { createClientAddresses } from '#kit/network/client-addresses.ts'
import { within } from '#kit/promises.ts'
import { openSecrets } from '#kit/secrets.ts'
import { operationsRoutes } from '#kit/system/monitoring-routes.ts'
import { openSystem } from '#kit/system/routes.ts'
import { bindProviderRoutes } from '#optional/oidc/open.ts'
import { type Outgoing, openWebhooks } from '#optional/webhooks/open.ts'
import { countDeploysUnderWay } from '#publishing/deploys/claims.ts'
import { nameProjects, ownsProjects } from '#publishing/projects/find-project.ts'
import { firstProjectOrigins, siteOriginOf } from '#publishing/projects/site-origin.ts'
import { canTry } from '#renderer/sources/settings.ts'
import { environmentNames } from '#store/database/environment-name.ts'
import { openStore } from '#store/store.ts'
import { firstProjectSources } from './first-project-sources.ts'
import { knownDatabases } from './known-databases.ts'
import { openPublishing, type Publishing } from './open-publishing.ts'
import { createRoute } from './route-request.ts'

export interface Wiring {
  clock?: Clock
  limits?: Partial<Limits>
  outgoing?: Outgoing
  streamLimits?: Partial<StreamLimits>
  /** Cost and limits of password hashing. */
  hashing?: PasswordOptions
  /** The numbers of all workers; this process's own without it. */
  allMetrics?: () => Promise<string>
}

const keepUpEveryMs = 30_000
const finishWithinMs = 8_000
const closeWithinMs = 1_000

export type Running = Awaited<ReturnType<typeof start>>

/** Starts a process on databases that prepareStore has prepared. */
export async function start(configured: Config, log: Logger, wiring: Wiring = {}) {
  const { clock = systemClock } = wiring
  const metrics = createMetrics()
  const batches = createRequestBatches()
  const limits = { ...defaultLimits, ...wiring.limits }
  // Before anything is open: what it refuses ends the start.
  const operators = openOperatorCertificate(configured, clock, log)
  const { httpPort, listenAddress } = configured
  const edge = createDeferred<Edge>()
  const listener = await listen(httpPort, listenAddress, metrics, limits, {
    trustedProxies: addressList(configured.trustedProxies),
    // What an authority, and a check before it, validates.
    alwaysServed: [httpChallengePath, probePath],
    corsOrigins: configured.corsOrigins,
    clearsCookies: async (host) => (await (edge.current ?? edge.wait())).clearsCookies(host),
    batches,
    log,
  })
  // After the other one, in every worker: that is how they find the port that they share.
  const secureListener = await listenSecurelyTo(listener, configured, clock, edge)
  const config = withPorts(configured, listener.port, secureListener?.port)
  const store = await openStore(config, clock, metrics, log, {
    batches,
    // Readers of its API reference can send requests to staging with a key of theirs.
    stagingOrigins: config.firstProject ? firstProjectOrigins(config) : [],
  })
  const database = store.open('publishing')
  const webhooks = openWebhooks(config, store, clock, metrics, log, wiring.outgoing)
  const accounts = openAccounts({
    config,
    database,
    allowances: store.limits,
    clock,
    secrets: openSecrets(config),
    ownsProjects,
    nameProjects,
    hashing: wiring.hashing,
  })
  const audit = openAudit([database, ...Object.values(store.databases)], clock)
  const clients = createClientAddresses(addressList(config.trustedProxies), log)
  const { passwords } = accounts.context
  const parts = { clients, operators, passwords }
  const publishing = openPublishing(config, database, store.limits, clock, metrics, log, parts)
  const backups = openBackups({ config, database: store.limits, clock, log })
  metrics.watchBackups(async () => {
    const last = (await backups.status())?.last
    return last && Math.max(0, clock() - last.at) / 1000
  })
  const databases = { ...store.databases, publishing: database, limits: store.limits }
  const system = openSystem({
    config,
    clock,
    metrics,
    limits: store.limits,
    databases,
    queues: { ...webhooks.queues },
    countDeploysUnderWay: () => countDeploysUnderWay(database),
    countCertificates: () => countCertificates(database, clock()),
    readBackups: backups.status,
  })
  const systemChecks = publishing.systemCheckRoutes({
    databases: knownDatabases.map((each) => ({ ...each, database: databases[each.name] })),
    readBackups: backups.status,
    forwardedRequests: clients.forwardedRequests,
  })
  const management = createManagementApp({
    routes: [accounts, audit, store, webhooks, publishing, system]
      .flatMap(({ routes }) => routes)
      .concat(bindProviderRoutes(config.identityProvider, accounts.context), systemChecks),
    dashboardUrl: config.dashboardUrl,
    authenticate: accounts.authenticate,
    clients,
    streamLimits: wiring.streamLimits,
    metrics,
    log,
  })
  let stopping = false

  const operations = operationsRoutes({
    findObstacles: async () =>
      stopping ? ['this process is stopping'] : await store.findObstacles(),
    metrics: wiring.allMetrics ?? (() => metrics.registry.metrics()),
    metricsAllow: addressList(config.metricsAllow),
    clients,
  })
  const dashboard = dashboardPages({ metrics })
  edge.resolve(publishing)
  await repeatWhileAway('starting', log, () => publishing.begin(listener.connections))
  // Seen at once by a later version that is started; upkeep repeats it.
  await system.maintain().catch(() => {})
  const apis = environmentNames.map((name) => ({
    baseUrl: { production: config.baseUrl, staging: config.stagingBaseUrl }[name],
    handler: store.handlers[name],
  }))
  const route = createRoute(config, {
    apis,
    challenges: { prefix: httpChallengePath, handler: publishing.challenges },
    probes: { prefix: probePath, handler: answerProbe(openSecrets(config)) },
    operations,
    management: management.handle,
    dashboard,
    hostHandler: publishing.hostHandler,
    secured: publishing.secured,
  })
  listener.serve(route)
  if (config.firstProject) {
    firstProjectSources(store, config, siteOriginOf(config), canTry)
      .then(publishing.deployFirstProject)
      .catch((err) =>
        log.warn({ event: 'first_project.failed', err }, 'the first project could not be deployed'),
      )
  }

  backups.begin()
  const upkeep = startPollLoop({
    name: 'upkeep',
    log,
    intervalMs: keepUpEveryMs,
    startsNow: false,
    async poll() {
      await Promise.all([
        store.maintain(),
        webhooks.maintain(),
        accounts.deleteExpired(),
        audit.deleteOld(),
        publishing.maintain(),
        system.maintain(),
      ])
    },
  })

  return {
    /** With the ports that were really bound. */
    config,
    store,
    webhooks,
    publishing,
    system,
    backups,
    metrics,
    /** Serves for `drainSeconds` with /readyz at 503, then finishes what has begun, within 10 seconds. */
    async stop() {
      stopping = true
      await delay(config.drainSeconds * 1000)
      const lastUpkeep = upkeep.stop()
      await within(
        finishWithinMs,
        Promise.all([
          listener.stop(),
          secureListener?.stop(),
          webhooks.stop(),
          publishing.stop(),
          backups.stop(),
        ]),
        () => {},
      )
      // A database that does not respond must not delay the end.
      const ends = [lastUpkeep, store.maintain(), publishing.end(), system.end()]
      const written = Promise.all(ends).catch(() => {})
      await within(
        closeWithinMs,
        written.then(() => Promise.all([store.close(), database.close()])),
        () => {},
      )
    },
  }
}

/** What connections wait for that come before the start. */
type Edge = Pick<Publishing, 'clearsCookies' | 'directory'>

const portProblems: Partial<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program: choose another port, or off.',
  EACCES: 'needs rights that this user lacks: choose a port from 1024 on.',
}

/** Undefined if HTTPS is off. */
async function listenSecurelyTo(
  listener: Listener,
  config: Config,
  clock: Clock,
  edge: Deferred<Edge>,
): Promise<SecureListener | undefined> {
  const { httpsPort, listenAddress } = config
  if (httpsPort === undefined) return undefined
  // Secrets are created when they are first needed.
  let keys: (() => Buffer) | undefined
  const ticketKeys = (): Buffer => {
    keys ??= createTicketKeys(openSecrets(config).derive('TLS session tickets'), clock)
    return keys()
  }
  const whenStarted = <R>(ask: (each: HostDirectory) => Awaitable<R>): Awaitable<R> => {
    return withValue(edge.current ?? edge.wait(), ({ directory }) => ask(directory))
  }
  try {
    return await listenSecurely(listener.intake, httpsPort, listenAddress, {
      directory: {
        certificateFor: (host) => whenStarted((each) => each.certificateFor(host)),
        challengeFor: (host) => whenStarted((each) => each.challengeFor(host)),
      },
      ticketKeys,
    })
  } catch (error) {
    await listener.stop()
    const problem = portProblems[`${(error as NodeJS.ErrnoException).code}`]
    throw problem ? new ConfigError(`HTTPS_PORT ${problem}`) : error
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
