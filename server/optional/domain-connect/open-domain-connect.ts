// Domain Connect in one process: its operations, and the deletion of old rows.
import type { DnsNetwork } from '#dns/queries/dns-network.ts'
import { checkAllowance } from '#domains/checks/check-runner.ts'
import type { Config } from '#kit/config/config.ts'
import { createExpiringMap } from '#kit/expiring-map.ts'
import { bindRoutes } from '#kit/management/route.ts'
import { openSecrets } from '#kit/secrets.ts'
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { type ConnectContext, connectRoutes } from './api/routes.ts'
import { deleteExpiredConnections } from './connections/connections.ts'
import { maxRemembered, type OfferContext } from './connections/offer-connection.ts'
import { createConnectClient } from './discovery/connect-client.ts'
import { deleteRetiredKeys } from './signing/signing-keys.ts'

interface ConnectParts {
  network: DnsNetwork
  verify: ConnectContext['verify']
}

type Context = Pick<PublishingContext, 'clock' | 'database' | 'platformHost'> & {
  /** Absent for the command line on this machine, which is not limited. */
  allowances?: PublishingContext['allowances']
}

export function openDomainConnect(
  config: Config,
  { allowances, clock, database, platformHost }: Context,
  { network, verify }: ConnectParts,
) {
  const { dashboardUrl, dnsServers, domainConnect: settings } = config
  const ask = createConnectClient(settings, dnsServers)
  const cache: OfferContext['cache'] = createExpiringMap(clock, maxRemembered)
  const offers = { clock, network, settings, ask, cache, platformHost }
  return {
    /** Part of the management API. */
    routes: bindRoutes(connectRoutes, {
      ...{ clock, database, offers, settings, dashboardUrl, verify },
      secrets: openSecrets(config),
      spendCheck: allowances ? checkAllowance(allowances) : async () => {},
    }),
    upkeep: [deleteExpiredConnections, deleteRetiredKeys],
  }
}
