// Publishing in one process: its sites, its API operations and its background jobs.

import { createDomainSummary } from '#domains/api/domain-response.ts'
import { startDeactivation } from '#domains/certificates/authorities/deactivate-authorizations.ts'
import { authoritiesOf, openCertificates } from '#domains/certificates/open-certificates.ts'
import {
  createRateLimitReader,
  deleteOldAttempts,
} from '#domains/certificates/rate-limits/attempt-log.ts'
import {
  deleteExpiredCertificates,
  findNextExpirySeconds,
} from '#domains/certificates/records/certificate-rows.ts'
import { deleteExpiredTombstones, removeDomainsOf } from '#domains/claims/remove-domain.ts'
import {
  findDomainsInTransfer,
  suspendUnpaidDomains,
  transferDomains,
} from '#domains/claims/transfer-domains.ts'
import { deleteOldAuthorizations } from '#domains/database/challenges.ts'
import { openDomainEvents } from '#domains/domain-events.ts'
import { openDomains } from '#domains/domains.ts'
import { answerChallenge } from '#domains/edge/answer-challenge.ts'
import { createHostFinder, hostDirectory } from '#domains/edge/find-host.ts'
import {
  createCookieClearing,
  createHostHandler,
  createMembersSiteFinder,
  hostOrigins,
} from '#domains/edge/host-handler.ts'
import type { OperatorCertificate } from '#domains/edge/operator-certificate.ts'
import { maintainPlatformHosts } from '#domains/edge/platform-hosts.ts'
import { securePlatformHost } from '#domains/edge/redirects.ts'
import {
  createRemovalVerifier,
  deleteDeadNodes,
  type NodePresence,
  startNodePresence,
} from '#domains/edge/removal/node-presence.ts'
import { createVisitorGate, type PasswordGateContext } from '#domains/edge/visitor-gate.ts'
import { startDomainWorker } from '#domains/scheduling/domain-worker.ts'
import type { Clock } from '#kit/clock.ts'
import { type Config, ownHostsOf, visitorsHttpsPort } from '#kit/config/config.ts'
import type { Awaitable, Database } from '#kit/database/database.ts'
import type { Connections } from '#kit/http/listener/connections.ts'
import type { Handler } from '#kit/http/listener/intake.ts'
import type { HostDirectory } from '#kit/http/tls/host-directory.ts'
import type { PollLoop } from '#kit/jobs/poll-loop.ts'
import type { Logger } from '#kit/log.ts'
import { bindRoutes, type Route } from '#kit/management/route.ts'
import type { Metrics } from '#kit/metrics.ts'
import { openSecrets } from '#kit/secrets.ts'
import { sharedGauge } from '#kit/tally.ts'
import { openDomainConnect } from '#optional/domain-connect/open-domain-connect.ts'
import {
  type ObjectStorage,
  openObjectStorage,
} from '#optional/object-storage/open-object-storage.ts'
import { openVisits } from '#optional/visits/visits.ts'
import { publishedVersions } from '#publishing/database/publishing-state.ts'
import { deleteOldWithdrawnHosts } from '#publishing/database/withdrawn-hosts.ts'
import { startBuilder } from '#publishing/deploys/builder.ts'
import { abandonOldReceptions } from '#publishing/deploys/create-deploy.ts'
import { deleteOldUploads } from '#publishing/deploys/files.ts'
import { watchFreeSpace } from '#publishing/deploys/free-space.ts'
import { limitReceptions } from '#publishing/deploys/routes.ts'
import { deployFirstProject, type FirstProject } from '#publishing/first-project.ts'
import { deleteExpiredInvitations } from '#publishing/members/member-rows.ts'
import { openProjectNotices } from '#publishing/members/project-notices.ts'
import { openCountedBucket } from '#publishing/objects/bucket.ts'
import { createObjectReader } from '#publishing/objects/read-objects.ts'
import { endExpiredPreviews } from '#publishing/previews/change-previews.ts'
import { maxReceiveMs } from '#publishing/projects/plan-limits.ts'
import { siteOriginOf } from '#publishing/projects/site-origin.ts'
import { removeExcessDeploys } from '#publishing/projects/stored-space.ts'
import { publishingRoutes } from '#publishing/routes.ts'
import { deleteExpiredAccessCodes } from '#publishing/site-access/access-codes.ts'
import { createSites } from '#publishing/sites/site-handler.ts'
import { deleteOldVisits } from '#publishing/visits/visit-rows.ts'
import {
  openSystemChecks,
  type SystemChecksContext,
  systemCheckRoutes,
} from '#system-checks/open-system-checks.ts'

/** What the checks of the installation need from the rest of the program. */
type SystemCheckParts = Pick<SystemChecksContext, 'databases' | 'forwardedRequests' | 'readBackups'>

export interface Publishing {
  /** Part of the management API. */
  routes: Route[]
  /** The operation that checks the installation, part of the management API. */
  systemCheckRoutes(parts: SystemCheckParts): Route[]
  /** Handles every host that is not a host of the program: sites at subdomains of the platform host and at domains. */
  hostHandler: Handler
  /** Redirects to HTTPS at a host of the program whose configured address is https. */
  secured(handler: Handler): Handler
  /** Answers HTTP-01 challenges of certificate authorities, for any host. */
  challenges: Handler
  /** Whether a 431 at a host deletes the cookies that caused it. */
  clearsCookies: (host: string) => Awaitable<boolean>
  /** For the HTTPS port. */
  directory: HostDirectory
  objectStorage: ObjectStorage
  /** Registers this process as a node, which closes the connections of removed hosts. Starts background jobs. */
  begin(connections: Connections): Promise<void>
  /** Deploys the program's own documentation if it has changed. */
  deployFirstProject(project: FirstProject): Promise<void>
  /** Deletes old data. */
  maintain(): Promise<void>
  /** Starts no more jobs and aborts the current build. */
  stop(): Promise<void>
  /** Unregisters the node, once all connections are closed. */
  end(): Promise<void>
}

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
): Publishing {
  const siteOrigin = siteOriginOf(config)
  const secrets = openSecrets(config)
  let ownHosts: PollLoop | undefined
  const projectsChanged = (): void => ownHosts?.wake()
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
  let connections: Connections | undefined
  let node: NodePresence | undefined
  // With each new version this process checks for withdrawn hosts.
  const versions = publishedVersions(database, () => queueMicrotask(() => void node?.look()))
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
  const events = openDomainEvents(config, context)
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
  const authorities = authoritiesOf(config, context)
  const domains = openDomains(config, {
    ...context,
    verifyRemoval: createRemovalVerifier({ config, database, clock, node: () => node }),
    authorities: authorities.forCaa,
    readHostRateLimits: createRateLimitReader(database, clock, config.acme.directory),
    onChecked: () => work?.wake(),
  })
  const { check } = domains
  const connect = openDomainConnect(config, context, domains)
  const count = metrics.countCertificate
  const certificates = openCertificates(config, authorities, {
    ...context,
    check,
    count,
  })
  let work: PollLoop | undefined
  let deactivation: PollLoop | undefined

  return {
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
      ...connect.routes,
      ...events.routes,
    ],
    systemCheckRoutes(parts) {
      const { network } = domains
      return bindRoutes(systemCheckRoutes, {
        run: openSystemChecks({ ...parts, config, clock, authorities, network, secrets }),
      })
    },
    hostHandler: createHostHandler({
      hosts,
      sites,
      visitorGate: createVisitorGate({
        ...{ ...visitors, database, allowances, clock, secrets },
        dashboardUrl: config.dashboardUrl,
      }),
      origins,
      platformHost,
      connections: () => connections,
      publicHttpsPort,
      metrics,
      log,
    }),
    secured: securePlatformHost(hosts, publicHttpsPort),
    challenges: answerChallenge(certificates.keyAuthorizationFor),
    clearsCookies: createCookieClearing(hosts, config),
    directory: hostDirectory(hosts, certificates),
    objectStorage,
    async begin(open) {
      connections = open
      await objectStorage.begin()
      node = await startNodePresence({ database, clock, versions, connections, log })
      work = startDomainWorker(context, {
        check,
        processCertificate: certificates.processCertificate,
      })
      deactivation = startDeactivation({ database, log, authorities })
      const onAdded = (): void => work?.wake()
      const isCovered = (host: string): boolean => operators?.certificateFor(host) !== undefined
      ownHosts = maintainPlatformHosts({ database, clock, config, log, isCovered, onAdded })
    },
    async deployFirstProject(project) {
      if (await deployFirstProject(database, project, clock())) builds.wake()
    },
    async maintain() {
      if (operators?.reload()) ownHosts?.wake()
      await deleteOldUploads(database, clock())
      if (await endExpiredPreviews(database, platformHost, clock())) projectsChanged()
      await abandonOldReceptions(database, clock() - maxReceiveMs)
      await removeExcessDeploys(database)
      await deleteExpiredTombstones(database, clock())
      await deleteExpiredInvitations(database, clock())
      await deleteExpiredAccessCodes(database, clock())
      await suspendUnpaidDomains(database, clock())
      await events.maintain()
      await projectNotices.maintain()
      await deleteOldWithdrawnHosts(database, clock())
      await deleteDeadNodes(database, clock())
      await deleteOldAttempts(database, clock())
      await deleteExpiredCertificates(database, clock())
      await deleteOldAuthorizations(database, clock())
      await deleteOldVisits(database, clock())
      await connect.maintain()
      builds.wake()
    },
    async stop() {
      stopping.abort()
      // Stopping the certificates also ends jobs that wait for a certificate authority.
      const jobs = [work?.stop(), deactivation?.stop()]
      const certified = Promise.all([...jobs, certificates.stop()])
      await Promise.all([
        builds.stop(),
        certified,
        events.stop(),
        projectNotices.stop(),
        ownHosts?.stop(),
      ])
      await objectStorage.stop()
      bucket?.close()
    },
    async end() {
      await visits.stop()
      await node?.stop()
    },
  }
}
