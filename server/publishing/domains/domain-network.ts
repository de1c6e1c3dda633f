// How checks of domains reach the world, by the configuration.
import { getServers } from 'node:dns'
import type { Config, HostPort } from '../../platform/config.ts'
import { createDnsNetwork, type DnsNetwork } from '../dns/dns-network.ts'
import type { ServerAddress } from '../dns/exchange.ts'
import { createZoneCache } from '../dns/zone-cache.ts'

/** One for each process: it keeps the upper part of the tree between checks. */
export function domainNetwork(config: Config, clock: () => number): DnsNetwork {
  const { dnsAllow, dnsRoots, dnsServers } = config
  const [resolver] = dnsServers.length > 0 ? dnsServers : systemResolvers()
  return createDnsNetwork({
    ...(dnsRoots.length > 0 ? { roots: dnsRoots } : {}),
    ...(resolver ? { resolver } : {}),
    allow: dnsAllow,
    cache: createZoneCache({ clock }),
  })
}

function systemResolvers(): ServerAddress[] {
  return getServers().flatMap((text): HostPort[] => {
    const [, bracketed, plain, port = '53'] =
      /^(?:\[([^\]]+)\]|([^:]+|.*:.*:.*?))(?::(\d+))?$/.exec(text) ?? []
    const address = bracketed ?? plain
    return address === undefined ? [] : [{ address, port: Number(port) }]
  })
}
