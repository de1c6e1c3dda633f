// The network access of domain checks, from the configuration.
import { getServers } from 'node:dns'
import type { ServerAddress } from '#dns/messages/exchange.ts'
import { createDnsNetwork, type DnsNetwork } from '#dns/queries/dns-network.ts'
import { createZoneCache } from '#dns/queries/zone-cache.ts'
import type { Config } from '#kit/config/config.ts'
import { readAddressPort } from '#kit/network/address-port.ts'

/** One per process: it caches the root and top-level delegations between checks. */
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
  return getServers().flatMap((text) => {
    const read = readAddressPort(text)
    return read ? [{ address: read.address, port: read.port ?? 53 }] : []
  })
}
