// What the nodes of a cluster publish sites with: the lab's DNS, and an authority whose certificates live for minutes, so
// that they are renewed during a run.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  type PlacedOrder,
  startLabAuthority,
} from '../../lab/certificate-authority/lab-authority.ts'
import { startLab } from '../../lab/lab.ts'
import { platformHost } from '../../lab/network/topology.ts'
import { environmentIn } from '../../lab/serve-in-lab.ts'
import { buyZone } from '../lab/buy-zone.ts'
import { freeNetwork } from '../lab/free-addresses.ts'

export interface Platform {
  /** The settings of each node. */
  env: Record<string, string>
  /** Of the certificates, PEM. */
  root: string
  /** At the authority, in the order in which they were placed. */
  orders(): PlacedOrder[]
  /** Buys a zone. `point` makes a label of it point to the platform. */
  buyZone(name: string): { point(label: string): void }
  stop(): Promise<void>
}

export const certificateValidityMs = 20 * 60_000

/** The ports are those of HAProxy. */
export async function startPlatform(
  folder: string,
  { httpsPort, port }: { port: number; httpsPort: number },
): Promise<Platform> {
  const ports = { dns: 5300, http: port, https: httpsPort, registrar: 0, browserProxy: 0 }
  const lab = await startLab({ network: freeNetwork(), ports, env: {} })
  const place = {
    folder: join(folder, 'authority'),
    address: lab.topology.resolver,
    port: 14_000,
    managementPort: 15_000,
    resolver: `${lab.topology.authorityResolver}:${ports.dns}`,
    httpPort: port,
    httpsPort,
  }
  mkdirSync(place.folder)
  const authority = await startLabAuthority(place, {
    resolver: lab.dns.authorityResolver,
    now: Date.now,
    validityMs: certificateValidityMs,
  })
  const { DATA_DIR: _, LISTEN_ADDRESS: _all, ...env } = environmentIn({ ...lab, authority })
  return {
    env: { ...env, CA_FILE: authority.rootFile, PUBLIC_HTTPS_PORT: String(httpsPort) },
    root: await authority.root(),
    orders: authority.orders,
    buyZone(name) {
      const zone = buyZone(lab, name)
      return {
        point(label) {
          zone.put(label, 'CNAME', `${platformHost}.`)
          lab.dns.clearResolvers()
        },
      }
    },
    async stop() {
      await authority.stop()
      await lab.stop()
    },
  }
}
