// Starts the lab, on loopback addresses alone: DNS, the registrar, the servers that names can point to, the certificate
// authority. Its state is in memory and in a temporary folder, which is removed when the lab stops.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuthorityPolicy } from './certificate-authority/acme-state.ts'
import {
  type CertificateAuthority,
  startLabAuthority,
} from './certificate-authority/lab-authority.ts'
import { findPebble, startPebble } from './certificate-authority/pebble.ts'
import { startDns } from './dns/start-dns.ts'
import type { ZoneRecord } from './dns/zone.ts'
import {
  createTopology,
  initialOtherPlatform,
  type LabPorts,
  type ProviderId,
} from './network/topology.ts'
import { createConnectRoutes, resetQuirks } from './registrar/connect/connect-routes.ts'
import {
  type ConnectState,
  connectHost,
  createConnectState,
} from './registrar/connect/connect-state.ts'
import { serveConnectApi } from './registrar/connect/serve-connect-api.ts'
import { createDomains } from './registrar/domains.ts'
import { serveRegistrar } from './registrar/serve-registrar.ts'
import { startBrowserProxy } from './web/browser-proxy.ts'
import {
  type ProxyState,
  proxyServerHeader,
  startOtherPlatform,
  startProxy,
} from './web/web-servers.ts'

export type Lab = Awaited<ReturnType<typeof startLab>>

export interface LabOptions {
  /** The first three numbers of all addresses. */
  network: string
  ports: LabPorts
  env: NodeJS.ProcessEnv
  now?(): number
  /** The order in which the resolver tries name servers; random by default. */
  shuffle?<T>(list: T[]): T[]
}

/** File in the lab's folder: the roots of the certificates of the lab's sites, here and at the other platform. */
export const visitorsRoot = 'visitors-root.pem'
/** The roots that the server trusts: of the authority's own HTTPS, and of the DNS providers' interface. */
export const serverRoots = 'server-roots.pem'

/** LAB_ORDER_MINUTES: how long orders are open. LAB_REUSE_MINUTES: for how long authorizations are used again. */
function policyIn({
  LAB_ORDER_MINUTES,
  LAB_REUSE_MINUTES,
}: NodeJS.ProcessEnv): Partial<AuthorityPolicy> {
  return {
    ...(LAB_ORDER_MINUTES && { openMinutes: Number(LAB_ORDER_MINUTES) }),
    ...(LAB_REUSE_MINUTES && { reuseMinutes: Number(LAB_REUSE_MINUTES) }),
  }
}

/** Starts everything except the server. If a part fails to start, the others are stopped in reverse order. */
export async function startLab({ env, network, now = Date.now, ports, shuffle }: LabOptions) {
  await using starting = new AsyncDisposableStack()
  const use = <Part extends { close(): Promise<void> }>(part: Part): Part =>
    starting.adopt(part, () => part.close())
  const topology = createTopology(network, ports)
  /** A temporary folder, removed when the lab stops. */
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-lab-'))
  starting.defer(() => rm(folder, { recursive: true, force: true }))
  const otherPlatform = initialOtherPlatform()
  const dns = await startDns({ topology, otherPlatform, now, shuffle })
  starting.defer(dns.stop)
  const connect = createConnectState()
  const domains = createDomains(dns, now, (zone, provider) =>
    discoveryRecords(zone, provider, connect, ports.https),
  )
  const proxy: ProxyState = { mode: 'pass_through', serverHeader: proxyServerHeader }
  const server = { address: topology.server, port: ports.http }
  const { root: otherRoot } = use(await startOtherPlatform(topology.otherPlatform, ports))
  use(await startProxy(topology.proxy, ports.http, server, proxy))
  const registrar = use(
    await serveRegistrar(
      { address: topology.registrar, port: ports.registrar },
      {
        ...{ domains, topology, otherPlatform, proxy },
        connect: {
          routes: createConnectRoutes({ connect, domains, resolver: dns.resolver }),
          reset: () => resetQuirks({ connect, domains }),
        },
        clearResolvers: dns.clearResolvers,
        setPlatformRecords: dns.setPlatformRecords,
      },
    ),
  )
  /** Not localhost: with the dashboard there, that would be the same site, and cookies would come along. */
  const consentOrigin = `http://127.0.0.1:${registrar.port}`
  const { root: connectRoot } = use(
    await serveConnectApi(
      { address: topology.connect, port: ports.https },
      { connect, domains, consentOrigin: () => consentOrigin },
    ),
  )
  const browserProxy = use(
    await startBrowserProxy(
      { address: topology.registrar, port: ports.browserProxy },
      dns.resolver,
      ports,
    ),
  )
  // Tests pass an empty environment to run without an authority.
  const hasAuthority = env.PATH !== undefined || env.PEBBLE !== undefined
  const authority = hasAuthority ? await startAuthority() : undefined
  if (authority) starting.defer(() => authority.stop())
  const webRoot = authority ? await readFile(authority.rootFile, 'utf8') : ''
  await writeFile(join(folder, serverRoots), connectRoot + webRoot)
  const roots = [await authority?.root(), otherRoot].filter((root) => root !== undefined)
  await writeFile(join(folder, visitorsRoot), roots.map((root) => `${root.trim()}\n`).join(''))

  /** Pebble if it is installed, otherwise the lab's own authority. */
  async function startAuthority(): Promise<CertificateAuthority> {
    const options = {
      folder,
      address: topology.resolver,
      port: 14_000,
      managementPort: 15_000,
      resolver: `${topology.authorityResolver}:${ports.dns}`,
      httpPort: ports.http,
      httpsPort: ports.https,
    }
    const pebble = findPebble(env)
    return pebble
      ? await startPebble(pebble, options)
      : await startLabAuthority(options, {
          resolver: dns.authorityResolver,
          now,
          policy: policyIn(env),
        })
  }

  const running = starting.move()
  return {
    topology,
    dns,
    domains,
    proxy,
    otherPlatform,
    /** What visitors trust: PEM. */
    visitorsRoots: roots,
    connect,
    consentOrigin,
    /** Without a slash at the end. */
    registrarUrl: `http://localhost:${registrar.port}`,
    browserProxyUrl: `http://127.0.0.1:${browserProxy.port}`,
    authority,
    folder,
    stop: () => running.disposeAsync(),
  }
}

/** The `_domainconnect` records that a provider adds to a zone. */
function discoveryRecords(
  zone: string,
  provider: ProviderId,
  connect: ConnectState,
  port: number,
): ZoneRecord[] {
  const { record } = connect[provider].quirks
  if (record === 'none') return []
  const other = provider === 'burrow' ? 'pigeon' : 'burrow'
  const own = `${connectHost(record === 'former' ? other : provider)}:${port}`
  const values = record === 'several' ? ['https://not a value', own] : [own]
  return values.map((value) => ({
    ...{ name: `_domainconnect.${zone}`, ttlSeconds: 300 },
    ...{ type: 'TXT', strings: [value] },
  }))
}
