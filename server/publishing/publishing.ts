// Publishing in one process: its sites, the operations on them, and what runs beside the requests.
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config/config.ts'
import { ownHostsOf, visitorsHttpsPort } from '../platform/config/platform-hosts.ts'
import type { Database } from '../platform/database/database.ts'
import type { Connections } from '../platform/http/listener/connections.ts'
import type { Handler } from '../platform/http/listener/intake.ts'
import type { HostDirectory } from '../platform/http/tls/host-directory.ts'
import type { PollLoop } from '../platform/jobs/poll-loop.ts'
import type { Logger } from '../platform/log.ts'
import type { Route } from '../platform/management/route.ts'
import type { Metrics } from '../platform/metrics.ts'
import { authoritiesOf, openCertificates } from './certificates/open-certificates.ts'
import { deleteOldAttempts } from './certificates/rate-limits/attempt-log.ts'
import { createRateLimitReader } from './certificates/rate-limits/remaining-attempts.ts'
import { deleteExpiredCertificates } from './certificates/records/certificate-rows.ts'
import { publishedVersions } from './database/publishing-state.ts'
import { deleteOldWithdrawnHosts } from './database/withdrawn-hosts.ts'
import { startBuilder } from './deploys/builder.ts'
import { abandonOldReceptions } from './deploys/create-deploy.ts'
import { deleteOldUploads } from './deploys/files.ts'
import { deployRoutes } from './deploys/routes.ts'
import { deleteExpiredTombstones, removeDomainsOf } from './domains/claims/remove-domain.ts'
import { suspendUnpaidDomains } from './domains/claims/suspend-unpaid.ts'
import { openDomainEvents } from './domains/domain-events.ts'
import { openDomains } from './domains/domains.ts'
import { startDomainWorker } from './domains/scheduling/domain-worker.ts'
import { answerChallenge } from './edge/answer-challenge.ts'
import { createHostFinder, hostDirectory } from './edge/find-host.ts'
import { createHostHandler, hostOrigins } from './edge/host-handler.ts'
import type { OperatorCertificate } from './edge/operator-certificate.ts'
import { maintainPlatformHosts } from './edge/platform-hosts.ts'
import { type NodePresence, startNodePresence } from './edge/removal/node-presence.ts'
import { deleteDeadNodes } from './edge/removal/nodes.ts'
import { createRemovalVerifier } from './edge/removal/verify-removal.ts'
import { securePlatformHost } from './edge/secure-platform-host.ts'
import { deployFirstProject } from './first-project.ts'
import { maxReceiveMs, uploadRetentionMs } from './projects/plan-limits.ts'
import { projectRoutes } from './projects/routes.ts'
import { siteOriginOf } from './projects/site-origin.ts'
import { createSites } from './sites/site-handler.ts'

export interface Publishing {
  /** Part of the management API. */
  routes: Route[]
  /** Answers at every host that is not the program's own: sites, below the platform's host and at domains. */
  atHost: Handler
  /** Has a host of the program's own whose configured address says https served by HTTPS alone. */
  secured(handler: Handler): Handler
  /** Answers an authority that validates a host, whichever it is. */
  challenges: Handler
  /** For the HTTPS port. */
  directory: HostDirectory
  /** Counts this process among those that serve, and has it cut the connections of hosts that go. */
  begin(connections: Connections): Promise<void>
  /** Deploys the store's own documentation, where that is due. Sources by path. */
  deployFirstProject(sources: ReadonlyMap<string, Uint8Array>): Promise<void>
  /** Forgets what is old. */
  keepUp(): Promise<void>
  /** Begins nothing more; gives up what is being built. */
  stop(): Promise<void>
  /** Nothing is open here any more: nobody has to wait for this process. */
  end(): Promise<void>
}

/** Opens publishing on the database that `preparePublishing` has prepared. */
export function openPublishing(
  config: Config,
  database: Database,
  clock: Clock,
  metrics: Metrics,
  log: Logger,
  operators?: OperatorCertificate,
): Publishing {
  const siteOrigin = siteOriginOf(config)
  let ownHosts: PollLoop | undefined
  const projectsChanged = (): void => ownHosts?.wake()
  const builds = startBuilder(database, clock, log, (result) => {
    metrics.countDeploy(result)
    if (result === 'live') projectsChanged()
  })
  const stopping = new AbortController()
  let node: NodePresence | undefined
  // Whoever notices that something moved has this process look at what was withdrawn.
  const versions = publishedVersions(database, () => queueMicrotask(() => void node?.look()))
  const sites = createSites({ database, versions, origin: siteOrigin, metrics, log })
  const context = {
    database,
    clock,
    log,
    siteOrigin,
    builds,
    projectsChanged,
    stopping: stopping.signal,
  }
  const events = openDomainEvents(config, context)
  const { platformHost } = config
  const publicHttpsPort = visitorsHttpsPort(config)
  const hosts = createHostFinder({
    ...{ database, clock, versions, platformHost },
    ownHosts: ownHostsOf(config),
    operatorCertificate: operators?.certificateFor,
  })
  const authorities = authoritiesOf(config, context)
  const domains = openDomains(config, {
    ...context,
    verifyRemoval: createRemovalVerifier({ config, database, clock, node: () => node }),
    authorities: authorities.forCaa,
    budgetOf: createRateLimitReader(database, clock, config.acme.directory),
    onChecked: () => work?.wake(),
  })
  const { check } = domains
  const count = metrics.countCertificate
  const certificates = openCertificates(config, authorities, { ...context, check, count })
  let work: PollLoop | undefined

  return {
    routes: [
      ...projectRoutes(context, removeDomainsOf),
      ...deployRoutes(context),
      ...domains.routes,
      ...events.routes,
    ],
    atHost: createHostHandler({
      hosts,
      sites,
      origins: hostOrigins(config),
      platformHost,
      publicHttpsPort,
      metrics,
      log,
    }),
    secured: securePlatformHost(hosts, publicHttpsPort),
    challenges: answerChallenge(certificates.keyAuthorizationFor),
    directory: hostDirectory(hosts, certificates),
    async begin(connections) {
      node = await startNodePresence({ database, clock, versions, connections, log })
      work = startDomainWorker(context, {
        check,
        processCertificate: certificates.processCertificate,
      })
      const onAdded = (): void => work?.wake()
      const isCovered = (host: string): boolean => operators?.certificateFor(host) !== undefined
      ownHosts = maintainPlatformHosts({ database, clock, config, log, isCovered, onAdded })
    },
    async deployFirstProject(sources) {
      if (await deployFirstProject(database, sources, clock())) builds.wake()
    },
    async keepUp() {
      if (operators?.reload()) ownHosts?.wake()
      await deleteOldUploads(database, clock() - uploadRetentionMs)
      await abandonOldReceptions(database, clock() - maxReceiveMs)
      await deleteExpiredTombstones(database, clock())
      await suspendUnpaidDomains(database, clock())
      await events.keepUp()
      await deleteOldWithdrawnHosts(database, clock())
      await deleteDeadNodes(database, clock())
      await deleteOldAttempts(database, clock())
      await deleteExpiredCertificates(database, clock())
      builds.wake()
    },
    async stop() {
      stopping.abort()
      // Who waits for an authority is let go with the certificates.
      const certified = Promise.all([work?.stop(), certificates.stop()])
      await Promise.all([builds.stop(), certified, events.stop(), ownHosts?.stop()])
    },
    async end() {
      await node?.stop()
    },
  }
}
