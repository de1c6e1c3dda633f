// The addresses of the lab: one loopback address for each server, with the same ports, none below 1024.

export type LabPorts = typeof defaultPorts
export type LabTopology = ReturnType<typeof createTopology>

export type Provider = (typeof providers)[number]
export type ProviderId = Provider['id']

export const defaultPorts = {
  dns: 5300,
  /** The server, the other platform and the proxy. */
  http: 8080,
  /** The server and the other platform. */
  https: 8443,
  registrar: 8090,
  /** The proxy through which browsers resolve the lab's names. */
  browserProxy: 8091,
}
export const defaultNetwork = '127.0.53'

/** The top-level domains that the registrar sells. */
export const topLevels = ['example', 'test'] as const
/** The target of customers' CNAME records. */
export const platformHost = 'docs.animal-store.test'
export const platformZone = 'animal-store.test'
export const platformServerNames = ['ns1.animal-store.test', 'ns2.animal-store.test']
/** The other platform: the target of its customers' CNAME records, and the zone that holds it. */
export const otherPlatformHost = 'sites.dovecote.test'
export const otherPlatformZone = 'dovecote.test'
export const otherPlatformServerNames = ['ns1.dovecote.test', 'ns2.dovecote.test']
/** The name of its authority in CAA records. */
export const otherAuthority = 'other-authority.example'
/** What the CAA records of its host allow. The CAA records of a customer's host are those of the CNAME's target. */
export const otherPlatformCaa = ['any_authority', 'own_authority', 'no_authority'] as const
export type OtherPlatformCaa = (typeof otherPlatformCaa)[number]

export interface OtherPlatformState {
  caa: OtherPlatformCaa
}

export const initialOtherPlatform = (): OtherPlatformState => ({ caa: 'any_authority' })

export const providers = [
  {
    id: 'burrow' as const,
    title: 'Burrow DNS',
    about: 'Four name servers, ALIAS records, and a form that detects mistakes.',
    hasAlias: true,
    isHelpful: true,
    servers: [1, 2, 3, 4].map((n) => `ns${n}.burrow.test`),
  },
  {
    id: 'pigeon' as const,
    title: 'Plain Pigeon',
    about: 'Two name servers, no ALIAS records, and a form that takes every name literally.',
    hasAlias: false,
    isHelpful: false,
    servers: ['coo.pigeon.test', 'roo.pigeon.test'],
  },
]

/** `network` is the first three numbers of the addresses, such as `127.0.53`. */
export function createTopology(network: string, ports: LabPorts) {
  const at = (host: number): string => `${network}.${host}`
  return {
    ports,
    root: at(1),
    registry: at(2),
    /** A public resolver: caches for the full TTL. */
    resolver: at(53),
    /** The certificate authority's resolver: caches for a minute at most. */
    authorityResolver: at(55),
    /** The server under test. */
    server: '127.0.0.1',
    /** A second node of it, where a test starts one. */
    secondNode: at(60),
    registrar: '127.0.0.1',
    otherPlatform: at(80),
    proxy: at(90),
    /** The providers' interface for platforms (Domain Connect). */
    connect: at(91),
    platformServers: [at(3), at(4)],
    otherPlatformServers: [at(5), at(6)],
    providerServers: { burrow: [11, 12, 13, 14].map(at), pigeon: [21, 22].map(at) },
  }
}
