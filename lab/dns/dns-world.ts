// The lab's DNS: root, registry, the name servers of the platform and the providers, two resolvers.
import {
  type LabTopology,
  type OtherPlatformState,
  otherPlatformServerNames,
  otherPlatformZone,
  topLevels,
} from '../network/topology.ts'
import {
  createOtherPlatformZone,
  createPlatformZones,
  createRoot,
  createTopLevel,
  type Delegation,
  registryServer,
  rootServer,
  serverAddresses,
} from './lab-zones.ts'
import { type AddressFinder, type NameServer, startNameServer } from './name-server.ts'
import { createResolver } from './resolver.ts'
import type { Zone, ZoneRecord } from './zone.ts'

export type DnsWorld = Awaited<ReturnType<typeof startDns>>

/** As Let's Encrypt's resolvers. */
const authorityMaxTtlSeconds = 60

interface DnsOptions {
  topology: LabTopology
  /** Read at each query. */
  otherPlatform: OtherPlatformState
  now(): number
  /** The order in which resolvers try name servers; random by default. */
  shuffle: (<T>(list: T[]) => T[]) | undefined
}

/** Starts all servers. If one fails to start, the others are stopped. */
export async function startDns({ now, otherPlatform, shuffle, topology }: DnsOptions) {
  await using starting = new AsyncDisposableStack()
  const use = <Server extends { close(): Promise<void> }>(server: Server): Server =>
    starting.adopt(server, () => server.close())
  const { dns: port } = topology.ports
  const options = { roots: [{ address: topology.root, port }], now, ...(shuffle && { shuffle }) }
  /** The public resolver. */
  const resolver = createResolver(options)
  /** The certificate authority's resolver. */
  const authorityResolver = createResolver({ ...options, maxTtlSeconds: authorityMaxTtlSeconds })
  const findAddresses: AddressFinder = async (target, type) => {
    const { answers, rcode } = await resolver.resolve(target, type)
    const found = answers.flatMap((record) => (record.type === type ? [record] : []))
    return {
      rcode,
      addresses: found.map(({ data }) => data as string),
      ttlSeconds: Math.min(...found.map(({ ttl = 0 }) => ttl)),
    }
  }
  /** Every name server, by its name. */
  const servers = new Map<string, NameServer>()
  for (const [name, address] of serverAddresses(topology)) {
    servers.set(name, use(await startNameServer(name, { address, port }, findAddresses)))
  }
  use(await resolver.listen(topology.resolver, port))
  use(await authorityResolver.listen(topology.authorityResolver, port))

  /** What the top-level domains delegate, by zone; the registrar changes it. */
  const delegations = new Map<string, Delegation>()
  const host = (server: string, zone: string, read: () => Zone): void => {
    servers.get(server)?.zones.set(zone, { read, fault: 'none' })
  }
  const root = createRoot(topology)
  host(rootServer, '', () => root)
  for (const name of topLevels) {
    host(registryServer, name, () => createTopLevel(name, topology, [...delegations.values()]))
  }
  function hostPlatformZones(platformRecords: ZoneRecord[]): void {
    for (const { servers: names, zone } of createPlatformZones(topology, platformRecords)) {
      for (const name of names) host(name, zone.name, () => zone)
    }
  }
  for (const name of otherPlatformServerNames) {
    host(name, otherPlatformZone, () => createOtherPlatformZone(topology, otherPlatform.caa))
  }
  hostPlatformZones([])
  const running = starting.move()
  return {
    resolver,
    authorityResolver,
    servers: servers as ReadonlyMap<string, NameServer>,
    delegations,
    /** Replaces what the operator has added to the zone of the platform. */
    setPlatformRecords: hostPlatformZones,
    clearResolvers(): void {
      resolver.clear()
      authorityResolver.clear()
    },
    stop: () => running.disposeAsync(),
  }
}
