// Starts the Animal Store in a lab with a certificate authority: domains are hostCount there, pointed to the Animal
// Store and get certificates. The lab's name servers and the proxy in front of the authority run in this process,
// the authority runs in its own.

import { randomInt } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Lab, startLab } from '../../lab/lab.ts'
import { platformHost } from '../../lab/network/topology.ts'
import { environmentIn } from '../../lab/serve-in-lab.ts'
import { type FaultProxy, startFaultProxy } from '../../test/acme/fault-proxy.ts'
import { type People, peopleAt } from '../../test/publishing/publishing-in-test.ts'
import type { ServerPlace } from '../harness/context.ts'
import { findFreePort } from '../harness/http-client.ts'
import { animalStore } from './server.ts'
import { type StartedServer, startServer } from './start-server.ts'

export interface LabServer {
  lab: Lab
  /** The proxy in front of the certificate authority. */
  authority: FaultProxy
  /** The root certificates that visitors of sites trust, in PEM. */
  visitorRoots: string
  httpsPort: number
  people: People
  started: StartedServer
  /** Buys a registrable domain, without records. */
  buy(name: string): void
  /** Adds a CNAME record that points a host below a hostCount domain to the Animal Store. */
  point(host: string): void
  stop(): Promise<void>
}

export interface LabServerOptions extends ServerPlace {
  command: string[]
  databaseUrl?: string | undefined
}

/** Pebble must be installed. */
export async function startLabServer(options: LabServerOptions): Promise<LabServer> {
  const { command, cores, databaseUrl, folder } = options
  const stopFunctions: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const stopOne of stopFunctions.splice(0).reverse()) await stopOne()
  }
  try {
    const [http, https] = [await findFreePort(), await findFreePort()]
    const lab = await startLab({
      network: `127.${randomInt(60, 250)}.${randomInt(1, 250)}`,
      ports: { dns: 5300, http, https, registrar: 0, browserProxy: 0 },
      env: process.env,
    })
    stopFunctions.push(lab.stop)
    if (!lab.authority) throw new Error('the lab has no certificate authority')
    const visitorRoots = await lab.authority.root()
    const roots = await readFile(lab.authority.rootFile, 'utf8')
    const authority = await startFaultProxy(lab.authority.directoryUrl, roots)
    stopFunctions.push(authority.close)
    const proxyRoot = join(folder, 'authority-root.pem')
    await writeFile(proxyRoot, authority.root)
    const started = await startServer({
      label: animalStore,
      command: [...command, 'serve', '--json'],
      env: {
        ...environmentIn(lab),
        LOG_LEVEL: 'warn',
        FIRST_PROJECT: 'off',
        DATA_DIR: folder,
        DATABASE_URL: databaseUrl,
        ACME_DIRECTORY: authority.directoryUrl,
        ACME_CA_FILE: proxyRoot,
      },
      folder,
      cores,
      address: { port: http, headers: { Host: `localhost:${http}` } },
      readyPath: '/readyz',
    })
    stopFunctions.push(() => started.stop())
    const [, token = ''] = /set-up#([\w-]+)/.exec(started.readLog()) ?? []
    const people = await peopleAt(http, token)
    const { domains } = lab
    return {
      lab,
      authority,
      visitorRoots,
      httpsPort: https,
      people,
      started,
      buy: (name) => domains.buy(name, 'burrow'),
      point(host) {
        const [label = '', ...zone] = host.split('.')
        const record = {
          name: label,
          type: 'CNAME',
          value: platformHost,
          ttlSeconds: 300,
        } as const
        domains.addRecord(zone.join('.'), record)
        // Public authorities query the zone's name servers; the lab's authority asks a resolver with a cache.
        lab.dns.resolver.clear()
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
