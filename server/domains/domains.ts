// Custom domains in one process: the operations on them, their checks, and their events.

import { createConfirmationSender } from '#accounts/people/confirmed-email.ts'
import { type Config, visitorsHttpsPort } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import type { Upkeep } from '#kit/jobs/delete-old-rows.ts'
import { createMailSender, type SendMail } from '#kit/mail/send-mail.ts'
import { bindRoutes } from '#kit/management/route.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { createDomainView, nameOfHost } from './api/domain-response.ts'
import { domainEventRoutes, findStreamedEvent } from './api/event-routes.ts'
import { domainRoutes } from './api/routes.ts'
import {
  deleteOldAttempts,
  type ReadHostRateLimits,
} from './certificates/rate-limits/attempt-log.ts'
import { deleteExpiredCertificates } from './certificates/records/certificate-rows.ts'
import {
  type CheckRunnerContext,
  checkAllowance,
  createCheckRunner,
} from './checks/check-runner.ts'
import { createSwitchRunner } from './checks/switch-runner.ts'
import { deleteExpiredTombstones } from './claims/remove-domain.ts'
import { suspendUnpaidDomains } from './claims/transfer-domains.ts'
import { findAccountProblem } from './database/account-problems.ts'
import { deleteOldAuthorizations } from './database/challenges.ts'
import { createEventCleanup } from './database/delete-events.ts'
import type { FoundDomain } from './database/domain-row.ts'
import { createEventWatch } from './database/list-events.ts'
import { deleteDeadNodes, type VerifyRemoval } from './edge/removal/node-presence.ts'
import { gatheringContextOf, platformFactsOf } from './evidence/gather-evidence.ts'
import {
  createMailNotifier,
  deleteUnsentMails,
  type SendNotice,
  startNotices,
} from './notifications/notices.ts'

/** What is done at each upkeep, beside that of the events. */
export const domainsUpkeep: Upkeep[] = [
  deleteExpiredTombstones,
  suspendUnpaidDomains,
  deleteDeadNodes,
  deleteOldAttempts,
  deleteExpiredCertificates,
  deleteOldAuthorizations,
]

type DomainsContext = Pick<PublishingContext, 'database' | 'clock' | 'stopping'> & {
  /** Absent for the command line on this machine, which is not limited. */
  allowances?: Database
  /** Tests that a removed host is offline on every node. */
  verifyRemoval: VerifyRemoval
  /** The certificate authorities, as far as known. */
  authorities: CheckRunnerContext['authorities']
  /** Reads the remaining rate limits of a host. */
  readHostRateLimits?: ReadHostRateLimits
  onChecked?: CheckRunnerContext['onChecked']
}

export function openDomains(config: Config, context: DomainsContext) {
  const { allowances, authorities, clock, database, onChecked, stopping } = context
  const platform = platformFactsOf(config)
  const gathering = { ...gatheringContextOf(config, clock), signal: stopping }
  const httpsPort = visitorsHttpsPort(config)
  const shared = { database, platform, authorities, gathering, httpsPort, onChecked }
  const checks = createCheckRunner(shared)
  const switches = createSwitchRunner({
    ...gathering,
    // Behind a load balancer, the addresses that CHECK_ALLOW names may have the port of this machine.
    httpsPorts: httpsPort === undefined ? [] : [httpsPort, config.httpsPort ?? httpsPort],
    platformHost: platform.host,
    platformAddresses: platform.addresses,
  })
  const spendCheck = allowances ? checkAllowance(allowances) : async () => {}
  const own = { hosts: platform.ownHosts, platformHost: platform.host }
  const view = createDomainView(database.read, clock, platform.host, context.readHostRateLimits)
  return {
    /** Part of the management API. */
    routes: bindRoutes(domainRoutes, { ...context, checks, own, spendCheck, switches, view }),
    /** For other checks of this process: it caches what they share. */
    network: gathering.network,
    /** Checks a domain's DNS and records it; undefined when it has been removed meanwhile. */
    check: (domain: FoundDomain) => checks.check(domain, nameOfHost(domain.host), false),
    /** The same, as its owner requests it. */
    verify: (domain: FoundDomain) => checks.check(domain, nameOfHost(domain.host), true),
  }
}

export function openDomainEvents(
  config: Config,
  context: Pick<PublishingContext, 'clock' | 'database' | 'log' | 'stopping'>,
  senders: { webhook?: SendNotice } = {},
) {
  const { clock, database, log, stopping } = context
  const { read } = database
  const { dashboardUrl, mail, platformHost } = config
  const deleteOldEvents = createEventCleanup()
  const view = createDomainView(read, clock, platformHost)
  const watch = createEventWatch({ database, log })
  const findEvent = (position: bigint) => findStreamedEvent(read, view, position)
  const findAccount = (directory: string) => findAccountProblem(read, directory, clock())
  const byMail = { database, read, findEvent, findAccount, clock, dashboardUrl }
  const mailNotifier = (send: SendMail) => {
    const sendConfirmation = createConfirmationSender({ ...byMail, send })
    return { mail: createMailNotifier({ ...byMail, send, sendConfirmation }) }
  }
  const notices = startNotices(context, {
    ...senders,
    ...(mail && mailNotifier(createMailSender(mail))),
  })
  return {
    /** Part of the management API. */
    routes: bindRoutes(domainEventRoutes, { clock, database, view, watch, stopping }),
    upkeep: mail ? [deleteOldEvents] : [deleteOldEvents, deleteUnsentMails],
    /** Sends no further notices; resolves when the running deliveries have ended. */
    stop: notices.stop,
  }
}
