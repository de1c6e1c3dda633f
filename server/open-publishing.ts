// Publishing in one process: its sites, its API operations and its background jobs.
import { createDomainSummary } from '#domains/api/domain-response.ts'
import { startDeactivation } from '#domains/certificates/authorities/deactivate-authorizations.ts'
import { openCertificates } from '#domains/certificates/open-certificates.ts'
import { findNextExpirySeconds } from '#domains/certificates/records/certificate-rows.ts'
import { removeDomainsOf } from '#domains/claims/remove-domain.ts'
import { findDomainsInTransfer, transferDomains } from '#domains/claims/transfer-domains.ts'
import { openDomainEvents } from '#domains/domains.ts'
import { createHostFinder, hostDirectory } from '#domains/edge/find-host.ts'
import {
  createCookieClearing,
  createHostHandler,
  createMembersSiteFinder,
  hostOrigins,
} from '#domains/edge/host-handler.ts'
import type { OperatorCertificate } from '#domains/edge/operator-certificate.ts'
import { maintainPlatformHosts } from '#domains/edge/platform-hosts.ts'
import { answerChallenge, secureOwnHost } from '#domains/edge/redirects-and-challenges.ts'
import { startNodePresence } from '#domains/edge/removal/node-presence.ts'
import { createVisitorGate, type PasswordGateContext } from '#domains/edge/visitor-gate.ts'
import { startDomainWorker } from '#domains/scheduling/domain-worker.ts'
import type { Clock } from '#kit/clock.ts'
import { type Config, ownHostsOf, visitorsHttpsPort } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import type { Connections } from '#kit/http/listener/connections.ts'
import type { Logger } from '#kit/log.ts'
import { bindRoutes } from '#kit/management/route.ts'
import { type Metrics, sharedGauge } from '#kit/metrics.ts'
import { openSecrets } from '#kit/secrets.ts'
import { openDomainWebhooks } from '#optional/domain-webhooks/open.ts'
import { openObjectStorage } from '#optional/object-storage/open.ts'
import { openVisits } from '#optional/visits/open.ts'
import { publishedVersions } from '#publishing/database/publishing-state.ts'
import { startBuilder } from '#publishing/deploys/builder.ts'
import { watchFreeSpace } from '#publishing/deploys/free-space.ts'
import { limitReceptions } from '#publishing/deploys/routes.ts'
import { deployFirstProject, type FirstProject } from '#publishing/first-project.ts'
import { openProjectNotices } from '#publishing/members/project-notices.ts'
import { openCountedBucket } from '#publishing/objects/bucket.ts'
import { createObjectReader } from '#publishing/objects/read-objects.ts'
import { endExpiredPreviews } from '#publishing/previews/routes.ts'
import { siteOriginOf } from '#publishing/projects/site-origin.ts'
import { publishingRoutes, publishingUpkeep } from '#publishing/publishing.ts'
import { createSites } from '#publishing/sites/site-handler.ts'
import {
  openSystemChecks,
  type SystemChecksContext,
  systemCheckRoutes,
} from '#system-checks/open-system-checks.ts'
import { openDomainOperations } from './open-domain-operations.ts'

/** What the checks of the installation need from the rest of the program. */
type SystemCheckParts = Pick<SystemChecksContext, 'databases' | 'forwardedRequests' | 'readBackups'>

export type Publishing = ReturnType<typeof openPublishing>

/** What publishing takes from the rest of the process. */
interface PublishingParts extends Pick<PasswordGateContext, 'clients' | 'passwords'> {
  operators?: OperatorCertificate | undefined
}

/** Opens publishing on a database prepared by `preparePublishing`. */
export function openPublishing(
  config: Config,
  database: Database,
  allowances: Database,
  clock: Clock,
  metrics: Metrics,
  log: Logger,
  { operators, ...visitors }: PublishingParts,
) {
  const siteOrigin = siteOriginOf(config)
  const secrets = openSecrets(config)
  let begun: Awaited<ReturnType<typeof startJobs>> | undefined
  const projectsChanged = (): void => begun?.ownHosts.wake()
  const freeSpace = watchFreeSpace(config, log)
  sharedGauge(
    metrics.registry,
    'animal_store_free_disk_bytes',
    'Free space on the fullest disk that the program writes to.',
    freeSpace.readFreeBytes,
  )
  sharedGauge(
    metrics.registry,
    'animal_store_certificate_expiry_seconds',
    'Time until the next certificate in use expires.',
    async () => {
      const now = clock()
      const issued = await findNextExpirySeconds(database, now)
      const own = operators?.expiresAt()
      if (own === undefined) return issued
      return Math.min((own - now) / 1000, issued ?? Number.POSITIVE_INFINITY)
    },
  )
  const bucket = config.objectStorage && openCountedBucket(config.objectStorage, metrics)
  const objects = createObjectReader(bucket, log)
  const objectStorage = openObjectStorage(config, { bucket, database, clock, metrics, log })
  const onBuilt = (result: 'live' | 'failed'): void => {
    metrics.countDeploy(result)
    if (result === 'live') projectsChanged()
  }
  const { isEnough } = freeSpace
  const builds = startBuilder(database, objects, clock, log, isEnough, onBuilt)
  const stopping = new AbortController()
  // With each new version this process checks for withdrawn hosts.
  const versions = publishedVersions(database, () => queueMicrotask(() => void begun?.node.look()))
  const visits = openVisits({ clock, database, log })
  const sites = createSites({
    ...{ database, objects, versions, origin: siteOrigin, metrics, log },
    visits: visits.counter,
  })
  const context = {
    database,
    allowances,
    clock,
    log,
    siteOrigin,
    platformHost: config.platformHost,
    previewAgeMs: config.previewAgeMs,
    builds,
    freeSpace,
    projectsChanged,
    stopping: stopping.signal,
  }
  const webhooks = openDomainWebhooks(config, context)
  const events = openDomainEvents(config, context, { webhook: webhooks.send })
  const projectNotices = openProjectNotices(config, context)
  const { platformHost } = config
  const publicHttpsPort = visitorsHttpsPort(config)
  const hosts = createHostFinder({
    ...{ database, clock, versions, platformHost },
    ownHosts: ownHostsOf(config),
    operatorCertificate: operators?.certificateFor,
  })
  const origins = hostOrigins(config)
  const findMembersSite = createMembersSiteFinder({ hosts, origins, siteOrigin, platformHost })
  const domains = openDomainOperations(config, {
    ...context,
    node: () => begun?.node,
    onChecked: () => begun?.work.wake(),
  })
  const { authorities, check } = domains
  const count = metrics.countCertificate
  const certificates = openCertificates(config, authorities, {
    ...context,
    check,
    count,
  })
  const upkeep = [...publishingUpkeep, ...domains.upkeep, ...events.upkeep, projectNotices.upkeep]

  async function startJobs(connections: Connections) {
    await objectStorage.begin()
    const node = await startNodePresence({ database, clock, versions, connections, log })
    const { processCertificate } = certificates
    const work = startDomainWorker(context, { check, processCertificate })
    const deactivation = startDeactivation({ database, log, authorities })
    const onAdded = (): void => work.wake()
    const isCovered = (host: string): boolean => operators?.certificateFor(host) !== undefined
    const hosts = { database, clock, config, log, isCovered, onAdded }
    return { connections, node, work, deactivation, ownHosts: maintainPlatformHosts(hosts) }
  }

  return {
    /** Part of the management API. */
    routes: [
      ...bindRoutes(publishingRoutes, {
        ...context,
        hashPassword: visitors.passwords.hashingOf,
        removeDomains: removeDomainsOf,
        summariseDomains: createDomainSummary(database.read, clock),
        receptions: limitReceptions(),
        domains: { find: findDomainsInTransfer, move: transferDomains },
        findMembersSite,
        objects,
      }),
      ...visits.routes,
      ...domains.routes,
      ...events.routes,
      ...webhooks.routes,
    ],
    /** The operation that checks the installation, part of the management API. */
    systemCheckRoutes(parts: SystemCheckParts) {
      const { network } = domains
      return bindRoutes(systemCheckRoutes, {
        clock,
        run: openSystemChecks({ ...parts, config, clock, authorities, network, secrets }),
      })
    },
    /** Handles every host that is not a host of the program: sites at subdomains of the platform host and at domains. */
    hostHandler: createHostHandler({
      hosts,
      sites,
      visitorGate: createVisitorGate({
        ...{ ...visitors, database, allowances, clock, secrets },
        dashboardUrl: config.dashboardUrl,
      }),
      origins,
      platformHost,
      connections: () => begun?.connections,
      publicHttpsPort,
      metrics,
      log,
    }),
    /** Redirects to HTTPS at a host of the program whose configured address is https. */
    secured: secureOwnHost(hosts, publicHttpsPort),
    /** Answers HTTP-01 challenges of certificate authorities, for any host. */
    challenges: answerChallenge(certificates.keyAuthorizationFor),
    /** Whether a 431 at a host deletes the cookies that caused it. */
    clearsCookies: createCookieClearing(hosts, config),
    /** For the HTTPS port. */
    directory: hostDirectory(hosts, certificates),
    objectStorage,
    /** Registers this process as a node, which closes the connections of removed hosts. Starts background jobs. */
    async begin(connections: Connections) {
      begun = await startJobs(connections)
    },
    /** Deploys the program's own documentation if it has changed. */
    async deployFirstProject(project: FirstProject) {
      if (await deployFirstProject(database, project, clock())) builds.wake()
    },
    /** Deletes old data. */
    async maintain() {
      if (operators?.reload()) projectsChanged()
      if (await endExpiredPreviews(database, platformHost, clock())) projectsChanged()
      for (const task of upkeep) await task(database, clock())
      builds.wake()
    },
    /** Starts no more jobs and aborts the current build. */
    async stop() {
      stopping.abort()
      // Stopping the certificates also ends jobs that wait for a certificate authority.
      const jobs = [begun?.work.stop(), begun?.deactivation.stop()]
      const certified = Promise.all([...jobs, certificates.stop()])
      await Promise.all([
        builds.stop(),
        certified,
        events.stop(),
        projectNotices.stop(),
        begun?.ownHosts.stop(),
      ])
      await objectStorage.stop()
      bucket?.close()
    },
    /** Unregisters the node, once all connections are closed. */
    async end() {
      await visits.stop()
      await begun?.node.stop()
    },
  }
}
