// The lab's DNS: the name servers of the root, the registry, the platform, the other platform and the providers, each with
// its zones, and two resolvers. Delegations include glue only where it is needed.

import { isWithin } from '#dns/messages/dns-name.ts'
import { recordsOfType } from '#dns/messages/exchange.ts'
import {
  type LabTopology,
  type OtherPlatformState,
  otherAuthority,
  otherPlatformHost,
  otherPlatformServerNames,
  otherPlatformZone,
  platformHost,
  platformServerNames,
  platformZone,
  providers,
  topLevels,
} from '../network/topology.ts'
import { type AddressFinder, type NameServer, startNameServer } from './name-server.ts'
import { createResolver } from './resolver.ts'
import { createZone, type Zone, type ZoneRecord } from './zone.ts'

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
    const records = recordsOfType(answers, type)
    return {
      rcode,
      addresses: records.map(({ address }) => address),
      ttlSeconds: Math.min(...records.map(({ ttlSeconds }) => ttlSeconds)),
    }
  }
  /** Every name server, by its name. */
  const servers = new Map<string, NameServer>()
  for (const [name, address] of serverAddresses(topology))
    servers.set(name, use(await startNameServer(name, { address, port }, findAddresses)))
  use(await resolver.listen(topology.resolver, port))
  use(await authorityResolver.listen(topology.authorityResolver, port))

  /** What the top-level domains delegate, by zone; the registrar changes it. */
  const delegations = new Map<string, Delegation>()
  const host = (server: string, zone: string, read: () => Zone): void => {
    servers.get(server)?.zones.set(zone, { read, fault: 'none' })
  }
  const root = createRoot(topology)
  host(rootServer, '', () => root)
  for (const name of topLevels)
    host(registryServer, name, () => createTopLevel(name, topology, [...delegations.values()]))
  /** What the operator has added to the zone of the platform. */
  let platformRecords: ZoneRecord[] = []
  for (const own of ownZones) {
    const read = () => createOwnZone(own, topology, { caa: otherPlatform.caa, platformRecords })
    for (const name of own.servers) host(name, own.zone, read)
  }
  const running = starting.move()
  return {
    resolver,
    authorityResolver,
    servers: servers as ReadonlyMap<string, NameServer>,
    delegations,
    setPlatformRecords(records: ZoneRecord[]): void {
      platformRecords = records
    },
    clearResolvers(): void {
      resolver.clear()
      authorityResolver.clear()
    },
    stop: () => running.disposeAsync(),
  }
}

const daySeconds = 86_400
const registryServer = 'a.registry.test'
const rootServer = 'a.root.test'

interface Delegation {
  zone: string
  servers: string[]
  /** The parent has a DS record, although nothing is signed. */
  hasBrokenDs?: boolean
}

function createRoot({ registry, root }: LabTopology): Zone {
  return createZone('', [
    soaOf('', 1, rootServer),
    serverRecord('', rootServer),
    addressRecord(rootServer, root),
    ...topLevels.map((name) => serverRecord(name, registryServer)),
    addressRecord(registryServer, registry),
  ])
}

/** A top-level domain, which delegates the domains that were bought, the platform and the providers. */
function createTopLevel(name: string, topology: LabTopology, bought: Delegation[]): Zone {
  const delegated = [...ownZones, ...bought].filter(({ zone }) => isWithin(zone, name))
  const addresses = serverAddresses(topology)
  return createZone(name, [
    soaOf(name, 1, registryServer),
    serverRecord(name, registryServer),
    ...(isWithin(registryServer, name)
      ? [addressRecord(registryServer, topology.registry), addressRecord(rootServer, topology.root)]
      : []),
    ...delegated.flatMap(({ hasBrokenDs, servers, zone }: Delegation) => [
      ...servers.map((server) => serverRecord(zone, server, 300)),
      ...servers
        .filter((server) => isWithin(server, zone))
        .map((server) => addressRecord(server, addresses.get(server) ?? '')),
      ...(hasBrokenDs ? [brokenDs(zone)] : []),
    ]),
  ])
}

interface OwnZone extends Delegation {
  /** Besides SOA, NS, and the addresses of its servers. */
  records(topology: LabTopology, state: OwnState): ZoneRecord[]
}

interface OwnState extends OtherPlatformState {
  platformRecords: ZoneRecord[]
}

/** What the CAA record of the other platform's host names. */
const caaValues = { any_authority: undefined, own_authority: otherAuthority, no_authority: ';' }

/** The zones that nobody buys: of the platform, of the other platform and of the providers. */
const ownZones: OwnZone[] = [
  {
    zone: platformZone,
    servers: platformServerNames,
    records: ({ server }, { platformRecords }) => [
      addressRecord(platformHost, server, 60),
      addressRecord(`*.${platformHost}`, server, 60),
      ...platformRecords,
    ],
  },
  {
    zone: otherPlatformZone,
    servers: otherPlatformServerNames,
    records: (topology, { caa }) => {
      const value = caaValues[caa]
      const record = { name: otherPlatformHost, ttlSeconds: 60, type: 'CAA', flags: 0 } as const
      return [
        addressRecord(otherPlatformHost, topology.otherPlatform, 60),
        ...(value === undefined ? [] : [{ ...record, tag: 'issue', value }]),
      ]
    },
  },
  ...providers.map(({ servers }) => {
    const zone = (servers[0] ?? '').replace(/^[^.]+\./, '')
    const records = ({ connect }: LabTopology) => [addressRecord(`connect.${zone}`, connect)]
    return { zone, servers, records }
  }),
]

function createOwnZone(
  { records, servers, zone }: OwnZone,
  topology: LabTopology,
  state: OwnState,
) {
  const addresses = serverAddresses(topology)
  return createZone(zone, [
    ...zoneHead(zone, 1, servers),
    ...servers.map((server) => addressRecord(server, addresses.get(server) ?? '')),
    ...records(topology, state),
  ])
}

/** SOA and NS of a zone. */
export function zoneHead(zone: string, serial: number, servers: string[]): ZoneRecord[] {
  return [
    soaOf(zone, serial, servers[0] ?? ''),
    ...servers.map((server) => serverRecord(zone, server, 3600)),
  ]
}

function soaOf(name: string, serial: number, primary: string): ZoneRecord {
  return {
    name,
    ttlSeconds: 3600,
    type: 'SOA',
    primary,
    mailbox: name === '' ? 'hostmaster.root.test' : `hostmaster.${name}`,
    serial,
    minimumSeconds: 60,
  }
}

function serverRecord(name: string, target: string, ttlSeconds = daySeconds): ZoneRecord {
  return { name, ttlSeconds, type: 'NS', target }
}

function addressRecord(name: string, address: string, ttlSeconds = daySeconds): ZoneRecord {
  return { name, ttlSeconds, type: 'A', address }
}

function brokenDs(name: string): ZoneRecord {
  // Key tag 53535, ECDSA, SHA-256.
  return { name, ttlSeconds: 300, type: 'DS', data: `d11f0d02${'00'.repeat(32)}` }
}

/** The address of each name server, by its name. */
function serverAddresses(topology: LabTopology): Map<string, string> {
  const { otherPlatformServers, platformServers, providerServers, registry, root } = topology
  const addressed = (names: string[], addresses: string[]): [string, string][] =>
    names.map((name, i) => [name, addresses[i] ?? ''])
  return new Map([
    [rootServer, root],
    [registryServer, registry],
    ...addressed(platformServerNames, platformServers),
    ...addressed(otherPlatformServerNames, otherPlatformServers),
    ...providers.flatMap(({ id, servers }) => addressed(servers, providerServers[id])),
  ])
}
