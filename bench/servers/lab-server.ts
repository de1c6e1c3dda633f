// Our own program in a lab, with an authority: people buy names there, point them here and get certificates.
// The lab's name servers and the proxy before the authority are in this process, the authority is not.

import { randomInt } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Lab, startLab } from '../../lab/lab.ts'
import { platformHost } from '../../lab/network/addresses.ts'
import { environmentIn } from '../../lab/serve-in-lab.ts'
import { type FaultProxy, startFaultProxy } from '../../test/acme/fault-proxy.ts'
import { type People, peopleAt } from '../../test/publishing/publishing-in-test.ts'
import { findFreePort } from '../http-client.ts'
import { type ServerPlace, type StartedServer, startServer } from './start-server.ts'

export interface LabServer {
  lab: Lab
  authority: FaultProxy
  /** What visitors of sites trust, in PEM. */
  visitorsRoot: string
  httpsPort: number
  people: People
  started: StartedServer
  /** Buys a name and says nothing of it yet. */
  buy(name: string): void
  /** Makes a host below a name that was bought lead here. */
  point(host: string): void
  stop(): Promise<void>
}

export interface LabServerOptions extends ServerPlace {
  command: string[]
  databaseUrl?: string | undefined
}

/** Pebble has to be there. */
export async function startLabServer(options: LabServerOptions): Promise<LabServer> {
  const { command, cores, databaseUrl, folder } = options
  const stops: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one()
  }
  try {
    const [http, https] = [await findFreePort(), await findFreePort()]
    const lab = await startLab({
      network: `127.${randomInt(60, 250)}.${randomInt(1, 250)}`,
      ports: { dns: 5300, http, https, registrar: 0, window: 0 },
      env: process.env,
    })
    stops.push(lab.stop)
    if (!lab.authority) throw new Error('a lab without an authority')
    const visitorsRoot = await lab.authority.root()
    const roots = await readFile(lab.authority.rootFile, 'utf8')
    const authority = await startFaultProxy(lab.authority.directoryUrl, roots)
    stops.push(authority.close)
    const proxyRoot = join(folder, 'authority-root.pem')
    await writeFile(proxyRoot, authority.root)
    const started = await startServer({
      label: 'ours',
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
    stops.push(() => started.stop())
    const [, token = ''] = /set-up#([\w-]+)/.exec(started.lastWords()) ?? []
    const people = await peopleAt(http, token)
    const { domains } = lab.dns
    return {
      lab,
      authority,
      visitorsRoot,
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
        // Public authorities ask the zone's servers; what the resolver remembers of before is the lab's own.
        lab.dns.resolver.clear()
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
