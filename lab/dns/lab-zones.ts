// The zones above and beside the customers': the root, the top levels, the platform's own and those of the DNS
// providers' name servers. Delegations carry glue exactly where it is needed.
import {
  type LabTopology,
  platformHost,
  platformServerNames,
  platformZone,
  providers,
  topLevels,
} from '../network/topology.ts'
import { createZone, isWithin, type Zone, type ZoneRecord } from './zone.ts'

const day = 86_400
export const registryServer = 'a.registry.test'
export const rootServer = 'a.root.test'

export interface Delegation {
  zone: string
  servers: string[]
  /** The parent has a DS record, although nothing is signed. */
  hasBrokenDs: boolean
}

export function createRoot({ registry, root }: LabTopology): Zone {
  return createZone('', [
    soaOf('', 1, rootServer),
    { name: '', ttlSeconds: day, type: 'NS', target: rootServer },
    { name: rootServer, ttlSeconds: day, type: 'A', address: root },
    ...topLevels.map(
      (name): ZoneRecord => ({
        name,
        ttlSeconds: day,
        type: 'NS',
        target: registryServer,
      }),
    ),
    { name: registryServer, ttlSeconds: day, type: 'A', address: registry },
  ])
}

/** A top level with what has been bought, the platform and the providers below it. */
export function createTopLevel(name: string, topology: LabTopology, bought: Delegation[]): Zone {
  const delegated = [...own, ...bought].filter(({ zone }) => isWithin(zone, name))
  const addresses = addressesByServer(topology)
  return createZone(name, [
    soaOf(name, 1, registryServer),
    { name, ttlSeconds: day, type: 'NS', target: registryServer },
    ...(isWithin(registryServer, name)
      ? [addressRecord(registryServer, topology.registry), addressRecord(rootServer, topology.root)]
      : []),
    ...delegated.flatMap(({ hasBrokenDs, servers, zone }) => [
      ...servers.map(
        (target): ZoneRecord => ({
          name: zone,
          ttlSeconds: 300,
          type: 'NS',
          target,
        }),
      ),
      ...servers
        .filter((server) => isWithin(server, zone))
        .map((server) => addressRecord(server, addresses.get(server) ?? '')),
      ...(hasBrokenDs ? [brokenDs(zone)] : []),
    ]),
  ])
}

/** The platform's zone, and those of the providers, with the servers that hold each. */
export function createPlatformZones(topology: LabTopology): { zone: Zone; servers: string[] }[] {
  const addresses = addressesByServer(topology)
  return own.map(({ servers, zone }) => ({
    servers,
    zone: createZone(zone, [
      ...zoneHead(zone, 1, servers),
      ...servers.map((server) => addressRecord(server, addresses.get(server) ?? '')),
      ...(zone === platformZone
        ? [
            addressRecord(platformHost, topology.server, 60),
            addressRecord(`*.${platformHost}`, topology.server, 60),
          ]
        : []),
    ]),
  }))
}

/** SOA and NS of a zone. */
export function zoneHead(zone: string, serial: number, servers: string[]): ZoneRecord[] {
  return [
    soaOf(zone, serial, servers[0] ?? ''),
    ...servers.map((target): ZoneRecord => ({ name: zone, ttlSeconds: 3600, type: 'NS', target })),
  ]
}

const own: Delegation[] = [
  { zone: platformZone, servers: platformServerNames, hasBrokenDs: false },
  ...providers.map(({ servers }) => ({
    zone: (servers[0] ?? '').replace(/^[^.]+\./, ''),
    servers,
    hasBrokenDs: false,
  })),
]

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

function addressRecord(name: string, address: string, ttlSeconds = day): ZoneRecord {
  return { name, ttlSeconds, type: 'A', address }
}

function brokenDs(name: string): ZoneRecord {
  const digest = '00'.repeat(32)
  return { name, ttlSeconds: 300, type: 'DS', keyTag: 53535, algorithm: 13, digestType: 2, digest }
}

function addressesByServer(topology: LabTopology): Map<string, string> {
  const addresses = new Map<string, string>()
  for (const [i, name] of platformServerNames.entries()) {
    addresses.set(name, topology.platformServers[i] ?? '')
  }
  for (const { id, servers } of providers) {
    for (const [i, name] of servers.entries()) {
      addresses.set(name, topology.providerServers[id][i] ?? '')
    }
  }
  return addresses
}
