// The lab's DNS: root, registry, the name servers of the platform and the providers, two resolvers.

import { type LabTopology, platformServerNames, providers, topLevels } from '../network/topology.ts'
import {
  createPlatformZones,
  createRoot,
  createTopLevel,
  type Delegation,
  registryServer,
  rootServer,
} from './lab-zones.ts'
import type { Listening } from './listen-dns.ts'
import { type AddressFinder, type NameServer, startNameServer } from './name-server.ts'
import { createResolver, type Resolver } from './resolver.ts'
import type { Zone } from './zone.ts'

export interface DnsWorld {
  /** The public resolver. */
  resolver: Resolver
  /** The certificate authority's resolver. */
  authorityResolver: Resolver
  clearResolvers(): void
  /** Every name server, by its name. */
  servers: ReadonlyMap<string, NameServer>
  /** What the top-level domains delegate, by zone; the registrar changes it. */
  delegations: Map<string, Delegation>
  stop(): Promise<void>
}

/** Public authorities cap cached TTLs at about a minute: Let's Encrypt's resolvers use 60 s. */
const authorityMaxTtlSeconds = 60

/** Starts all servers, or none: when one fails to start, the others are stopped again. */
export async function startDns(
  topology: LabTopology,
  now: () => number,
  shuffle?: <T>(list: T[]) => T[],
): Promise<DnsWorld> {
  const { dns: port } = topology.ports
  const started: Listening[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((one) => one.close()))
  }
  const resolverOptions = {
    roots: [{ address: topology.root, port }],
    now,
    ...(shuffle && { shuffle }),
  }
  const resolver = createResolver(resolverOptions)
  const authorityResolver = createResolver({
    ...resolverOptions,
    maxTtlSeconds: authorityMaxTtlSeconds,
  })
  const findAddresses: AddressFinder = async (target, type) => {
    const { answers, rcode } = await resolver.resolve(target, type)
    const found = answers.flatMap((record) =>
      record.type === type ? [{ address: record.data as string, ttl: record.ttl ?? 0 }] : [],
    )
    return {
      rcode,
      addresses: found.map(({ address }) => address),
      ttlSeconds: Math.min(...found.map(({ ttl }) => ttl)),
    }
  }
  const startServer = async (name: string, address: string): Promise<NameServer> => {
    const server = await startNameServer(name, { address, port }, findAddresses)
    started.push(server)
    return server
  }
  try {
    const root = await startServer(rootServer, topology.root)
    const registry = await startServer(registryServer, topology.registry)
    const servers = new Map([
      [root.name, root],
      [registry.name, registry],
    ])
    const holders = [
      { names: platformServerNames, addresses: topology.platformServers },
      ...providers.map(({ id, servers: names }) => ({
        names,
        addresses: topology.providerServers[id],
      })),
    ]
    for (const { addresses, names } of holders) {
      for (const [i, name] of names.entries()) {
        servers.set(name, await startServer(name, addresses[i] ?? ''))
      }
    }
    started.push(await resolver.listen(topology.resolver, port))
    started.push(await authorityResolver.listen(topology.authorityResolver, port))

    const delegations = new Map<string, Delegation>()
    root.zones.set('', fixed(createRoot(topology)))
    for (const name of topLevels) {
      const read = (): Zone => createTopLevel(name, topology, [...delegations.values()])
      registry.zones.set(name, { read, fault: 'none' })
    }
    for (const { servers: names, zone } of createPlatformZones(topology)) {
      for (const name of names) servers.get(name)?.zones.set(zone.name, fixed(zone))
    }
    const clearResolvers = (): void => {
      resolver.clear()
      authorityResolver.clear()
    }
    return { authorityResolver, clearResolvers, delegations, resolver, servers, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function fixed(zone: Zone): { read: () => Zone; fault: 'none' } {
  return { read: () => zone, fault: 'none' }
}
