// The zones of the root, the top-level domains, the platform and the DNS providers. Delegations include glue only
// where it is needed.
import { isWithin } from '#dns/messages/dns-name.ts'
import {
  type LabTopology,
  type OtherPlatformCaa,
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
import { createZone, type Zone, type ZoneRecord } from './zone.ts'

const daySeconds = 86_400
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
    serverRecord('', rootServer),
    addressRecord(rootServer, root),
    ...topLevels.map((name) => serverRecord(name, registryServer)),
    addressRecord(registryServer, registry),
  ])
}

/** A top-level domain, which delegates the domains that were bought, the platform and the providers. */
export function createTopLevel(name: string, topology: LabTopology, bought: Delegation[]): Zone {
  const delegated = [...own, ofOtherPlatform, ...bought].filter(({ zone }) => isWithin(zone, name))
  const addresses = serverAddresses(topology)
  return createZone(name, [
    soaOf(name, 1, registryServer),
    serverRecord(name, registryServer),
    ...(isWithin(registryServer, name)
      ? [addressRecord(registryServer, topology.registry), addressRecord(rootServer, topology.root)]
      : []),
    ...delegated.flatMap(({ hasBrokenDs, servers, zone }) => [
      ...servers.map((server) => serverRecord(zone, server, 300)),
      ...servers
        .filter((server) => isWithin(server, zone))
        .map((server) => addressRecord(server, addresses.get(server) ?? '')),
      ...(hasBrokenDs ? [brokenDs(zone)] : []),
    ]),
  ])
}

/** The zones of the platform and of the providers, each with its servers. */
export function createPlatformZones(
  topology: LabTopology,
  /** What the operator has added to the zone of the platform. */
  platformRecords: ZoneRecord[] = [],
): { zone: Zone; servers: string[] }[] {
  const addresses = serverAddresses(topology)
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
        : [addressRecord(`connect.${zone}`, topology.connect)]),
      ...(zone === platformZone ? platformRecords : []),
    ]),
  }))
}

/** The zone of the other platform, with the CAA records of its host. */
export function createOtherPlatformZone(topology: LabTopology, caa: OtherPlatformCaa): Zone {
  const addresses = serverAddresses(topology)
  const value = { any_authority: undefined, own_authority: otherAuthority, no_authority: ';' }[caa]
  return createZone(otherPlatformZone, [
    ...zoneHead(otherPlatformZone, 1, otherPlatformServerNames),
    ...otherPlatformServerNames.map((name) => addressRecord(name, addresses.get(name) ?? '')),
    addressRecord(otherPlatformHost, topology.otherPlatform, 60),
    ...(value === undefined
      ? []
      : [
          {
            name: otherPlatformHost,
            ttlSeconds: 60,
            type: 'CAA' as const,
            flags: 0,
            tag: 'issue',
            value,
          },
        ]),
  ])
}

/** SOA and NS of a zone. */
export function zoneHead(zone: string, serial: number, servers: string[]): ZoneRecord[] {
  return [
    soaOf(zone, serial, servers[0] ?? ''),
    ...servers.map((server) => serverRecord(zone, server, 3600)),
  ]
}

const ofOtherPlatform: Delegation = {
  zone: otherPlatformZone,
  servers: otherPlatformServerNames,
  hasBrokenDs: false,
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

function serverRecord(name: string, target: string, ttlSeconds = daySeconds): ZoneRecord {
  return { name, ttlSeconds, type: 'NS', target }
}

function addressRecord(name: string, address: string, ttlSeconds = daySeconds): ZoneRecord {
  return { name, ttlSeconds, type: 'A', address }
}

function brokenDs(name: string): ZoneRecord {
  const digest = '00'.repeat(32)
  return { name, ttlSeconds: 300, type: 'DS', keyTag: 53535, algorithm: 13, digestType: 2, digest }
}

/** The address of each name server, by its name. */
export function serverAddresses(topology: LabTopology): Map<string, string> {
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
