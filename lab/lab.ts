// Starts the lab: DNS, the registrar, the servers that names can point to, the certificate authority. When a part
// fails to start, the parts that run are stopped again, in reverse order.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CertificateAuthority } from './certificate-authority/certificate-authority.ts'
import { startLabAuthority } from './certificate-authority/lab-authority.ts'
import { findPebble, startPebble } from './certificate-authority/pebble.ts'
import { type DnsWorld, startDns } from './dns/dns-world.ts'
import { createTopology, type LabPorts, type LabTopology } from './network/topology.ts'
import { createDomains, type Domains } from './registrar/domains.ts'
import { serveRegistrar } from './registrar/serve-registrar.ts'
import { startBrowserProxy } from './web/browser-proxy.ts'
import {
  type ProxyState,
  proxyServerHeader,
  startOtherPlatform,
  startProxy,
} from './web/web-servers.ts'

export interface Lab {
  topology: LabTopology
  dns: DnsWorld
  /** What the registrar sells: changes records, name servers and delegations. */
  domains: Domains
  /** What the proxy does, and its Server header. */
  proxy: ProxyState
  /** Without a slash at the end. */
  registrarUrl: string
  browserProxyUrl: string
  /** Pebble where it is installed, else the lab's own authority; undefined in an empty environment. */
  authority: CertificateAuthority | undefined
  /** A temporary folder, removed when the lab stops. */
  folder: string
  stop(): Promise<void>
}

export interface LabOptions {
  /** The first three numbers of all addresses. */
  network: string
  ports: LabPorts
  env: NodeJS.ProcessEnv
  now?(): number
  /** The order in which the resolver tries name servers; random unless given. */
  shuffle?<T>(list: T[]): T[]
}

/** File in the lab's folder: clients that trust this root accept the certificates of the lab's sites. */
export const visitorsRoot = 'visitors-root.pem'

/** Starts everything but the server. */
export async function startLab(options: LabOptions): Promise<Lab> {
  const { env, network, now = Date.now, ports, shuffle } = options
  const topology = createTopology(network, ports)
  const stops: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one()
  }
  try {
    const folder = await mkdtemp(join(tmpdir(), 'animal-store-lab-'))
    stops.push(() => rm(folder, { recursive: true, force: true }))
    const dns = await startDns(topology, now, shuffle)
    stops.push(dns.stop)
    const domains = createDomains(dns, now)
    const proxy: ProxyState = { mode: 'pass_through', serverHeader: proxyServerHeader }
    const server = { address: topology.server, port: ports.http }
    const other = await startOtherPlatform(topology.otherPlatform, ports.http)
    stops.push(other.close)
    const edge = await startProxy(topology.proxy, ports.http, server, proxy)
    stops.push(edge.close)
    const registrar = await serveRegistrar(
      { address: topology.registrar, port: ports.registrar },
      { domains, topology, proxy, clearResolvers: dns.clearResolvers },
    )
    stops.push(registrar.close)
    const browserProxy = await startBrowserProxy(
      { address: topology.registrar, port: ports.browserProxy },
      dns.resolver,
      ports,
    )
    stops.push(browserProxy.close)
    const authority = await startAuthority({ env, now, dns, topology, folder })
    if (authority) {
      stops.push(authority.stop)
      await writeFile(join(folder, visitorsRoot), await authority.root())
    }
    return {
      topology,
      dns,
      domains,
      proxy,
      registrarUrl: `http://localhost:${registrar.port}`,
      browserProxyUrl: `http://127.0.0.1:${browserProxy.port}`,
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
  topology,
}: Pick<Lab, 'dns' | 'folder' | 'topology'> & Required<Pick<LabOptions, 'env' | 'now'>>): Promise<
  CertificateAuthority | undefined
> {
  // Tests pass an empty environment to run without an authority.
  if (env.PATH === undefined && env.PEBBLE === undefined) return undefined
  const options = {
    folder,
    address: topology.resolver,
    port: 14_000,
    managementPort: 15_000,
    resolver: `${topology.authorityResolver}:${topology.ports.dns}`,
    httpPort: topology.ports.http,
    httpsPort: topology.ports.https,
  }
  const pebble = findPebble(env)
  return pebble
    ? await startPebble(pebble, options)
    : await startLabAuthority(options, { resolver: dns.authorityResolver, now })
}
