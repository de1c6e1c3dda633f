// All of the lab's DNS, wired: root, registry, the platform's and the providers' name servers, the resolver.

import { type LabPlaces, platformServerNames, providers, topLevels } from '../network/addresses.ts'
import {
  createOwnZones,
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
  resolver: Resolver
  /** Every name server, by its name. */
  servers: ReadonlyMap<string, NameServer>
  /** What the top-level domains delegate, by zone; the registrar changes it. */
  delegations: Map<string, Delegation>
  stop(): Promise<void>
}

/** Starts all of it, or nothing: when an address cannot be had, what was started is stopped again. */
export async function startDns(
  places: LabPlaces,
  now: () => number,
  shuffle?: <T>(list: T[]) => T[],
): Promise<DnsWorld> {
  const { dns: port } = places.ports
  const started: Listening[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((one) => one.close()))
  }
  const resolver = createResolver({
    roots: [{ address: places.root, port }],
    now,
    ...(shuffle && { shuffle }),
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
    const root = await startServer(rootServer, places.root)
    const registry = await startServer(registryServer, places.registry)
    const servers = new Map([
      [root.name, root],
      [registry.name, registry],
    ])
    const holders = [
      { names: platformServerNames, addresses: places.platformServers },
      ...providers.map(({ id, servers: names }) => ({
        names,
        addresses: places.providerServers[id],
      })),
    ]
    for (const { addresses, names } of holders) {
      for (const [i, name] of names.entries()) {
        servers.set(name, await startServer(name, addresses[i] ?? ''))
      }
    }
    started.push(await resolver.listen(places.resolver, port))

    const delegations = new Map<string, Delegation>()
    root.zones.set('', fixed(createRoot(places)))
    for (const name of topLevels) {
      const read = (): Zone => createTopLevel(name, places, [...delegations.values()])
      registry.zones.set(name, { read, fault: 'none' })
    }
    for (const { servers: names, zone } of createOwnZones(places)) {
      for (const name of names) servers.get(name)?.zones.set(zone.name, fixed(zone))
    }
    return { delegations, resolver, servers, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function fixed(zone: Zone): { read: () => Zone; fault: 'none' } {
  return { read: () => zone, fault: 'none' }
}
