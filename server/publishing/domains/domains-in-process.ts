// Custom domains in one process: the operations on them, and their checks.
import type { Config } from '../../platform/config.ts'
import { portByAddress } from '../../platform/http/address-port.ts'
import type { Route } from '../../platform/management/route.ts'
import { openSecrets } from '../../platform/secrets.ts'
import type { PublishingContext } from '../publishing-context.ts'
import { oursOf } from './check-domain.ts'
import { createDomainChecks } from './domain-checks.ts'
import { domainNetwork } from './domain-network.ts'
import type { GatheringContext } from './gather-evidence.ts'
import { domainRoutes } from './routes.ts'

const httpPort = 80

export type DomainsContext = Pick<PublishingContext, 'database' | 'clock' | 'stopping'>

/** By what checks reach the world. */
export function gatheringOf(
  config: Config,
  { clock, stopping }: Pick<DomainsContext, 'clock' | 'stopping'>,
): GatheringContext {
  return {
    network: domainNetwork(config, clock),
    clock,
    secrets: openSecrets(config),
    probePorts: portByAddress(config.probeAllow, httpPort),
    signal: stopping,
  }
}

/** Part of the management API. */
export function openDomains(config: Config, context: DomainsContext): Route[] {
  const ours = oursOf(config)
  const { database } = context
  const checks = createDomainChecks({ database, ours, gathering: gatheringOf(config, context) })
  return domainRoutes(context, checks, { hosts: ours.ownHosts, target: ours.target })
}
