// The lab, wired by hand: DNS, the registrar, the places that names can point to, the authority. Whatever
// was started is stopped again, in the reverse order, also when the start fails half-way.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CertificateAuthority } from './certificate-authority/certificate-authority.ts'
import { startOwnAuthority } from './certificate-authority/lab-authority.ts'
import { findPebble, startPebble } from './certificate-authority/pebble.ts'
import { type DnsWorld, startDns } from './dns/dns-world.ts'
import { type LabPlaces, type LabPorts, placesIn } from './network/addresses.ts'
import { createDomains, type Domains } from './registrar/domains.ts'
import { serveRegistrar } from './registrar/serve-registrar.ts'
import { startWindow } from './web/browser-proxy.ts'
import { ownSign, type ProxyState, startOtherPlatform, startProxy } from './web/web-servers.ts'

export interface Lab {
  places: LabPlaces
  dns: DnsWorld
  /** What the registrar sells: changes records, name servers and delegations. */
  domains: Domains
  /** What the proxy does, and the name that it signs with. */
  proxy: ProxyState
  /** Without a slash at the end. */
  registrarUrl: string
  windowUrl: string
  /** Pebble where it is installed, else one of our own; undefined in an empty environment. */
  authority: CertificateAuthority | undefined
  /** A folder of this run; it goes with the lab. */
  folder: string
  stop(): Promise<void>
}

export interface LabOptions {
  /** The first three numbers of the addresses. */
  network: string
  ports: LabPorts
  env: NodeJS.ProcessEnv
  now?(): number
  /** The order in which the resolver tries name servers; random unless given. */
  shuffle?<T>(list: T[]): T[]
}

/** In the lab's folder: who trusts it, believes the certificates of its sites. */
export const visitorsRoot = 'visitors-root.pem'

/** Starts everything but the server. */
export async function startLab(options: LabOptions): Promise<Lab> {
  const { env, network, now = Date.now, ports, shuffle } = options
  const places = placesIn(network, ports)
  const stops: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one()
  }
  try {
    const folder = await mkdtemp(join(tmpdir(), 'animal-store-lab-'))
    stops.push(() => rm(folder, { recursive: true, force: true }))
    const dns = await startDns(places, now, shuffle)
    stops.push(dns.stop)
    const domains = createDomains(dns, now)
    const proxy: ProxyState = { mode: 'passes', sign: ownSign }
    const server = { address: places.server, port: ports.http }
    const other = await startOtherPlatform(places.otherPlatform, ports.http)
    stops.push(other.close)
    const edge = await startProxy(places.proxy, ports.http, server, proxy)
    stops.push(edge.close)
    const registrar = await serveRegistrar(
      { address: places.registrar, port: ports.registrar },
      { domains, places, proxy, resolver: dns.resolver },
    )
    stops.push(registrar.close)
    const window = await startWindow(
      { address: places.registrar, port: ports.window },
      dns.resolver,
      ports,
    )
    stops.push(window.close)
    const authority = await startAuthority({ env, now, dns, places, folder })
    if (authority) {
      stops.push(authority.stop)
      await writeFile(join(folder, visitorsRoot), await authority.root())
    }
    return {
      places,
      dns,
      domains,
      proxy,
      registrarUrl: `http://localhost:${registrar.port}`,
      windowUrl: `http://127.0.0.1:${window.port}`,
      authority,
      folder,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startAuthority({
  dns,
  env,
  folder,
  now,
  places,
}: Pick<Lab, 'dns' | 'folder' | 'places'> & Required<Pick<LabOptions, 'env' | 'now'>>): Promise<
  CertificateAuthority | undefined
> {
  // An empty environment wants nothing of this machine.
  if (env.PATH === undefined && env.PEBBLE === undefined) return undefined
  const place = {
    folder,
    address: places.resolver,
    port: 14_000,
    managementPort: 15_000,
    resolver: `${places.resolver}:${places.ports.dns}`,
    httpPort: places.ports.http,
    httpsPort: places.ports.https,
  }
  const pebble = findPebble(env)
  return pebble
    ? await startPebble(pebble, place)
    : await startOwnAuthority(place, { resolver: dns.resolver, now })
}
