// Starts the Animal Store with animals, projects, domains and certificates.

import type { ServerPlace } from '../harness/context.ts'
import { seedAnimals } from '../seed/seed-animals.ts'
import { type SeededHost, seedDomains } from '../seed/seed-domains.ts'
import { createPage, seedSite } from '../seed/seed-site.ts'
import { animalStore, type Server, type TlsServer } from './server.ts'
import { describeServer, startSeededProgram, waitUntilIdle } from './start-server.ts'
import { createKey, createStoreApi, keyHeaders } from './store-server.ts'

interface InstallationOptions extends ServerPlace {
  command: string[]
  databaseUrl: string | undefined
  animals: number
  /** Domains with a certificate. */
  hosts: SeededHost[]
  /** Further domains, 50 in each further project. */
  fillers: number
}

export interface Installation {
  /** Requests go to its store. */
  server: Server
  /** The same process; requests go to the custom domains. */
  sites: TlsServer
  startMs: number
  folder: string
  databaseUrl: string | undefined
}

export async function startInstallation(options: InstallationOptions): Promise<Installation> {
  const { animals, command, databaseUrl, fillers, folder, hosts } = options
  let key = ''
  const { started, engine, port, httpsPort } = await startSeededProgram(
    { ...options, label: animalStore, env: { FIRST_PROJECT: 'off' } },
    async (target, env) => {
      key = await createKey(command, env)
      await seedAnimals(target, animals)
      await seedSite(target, 'bench', { 'guide.html': createPage(10_000) })
      await seedDomains(target, folder, { hosts, fillers, directory: 'internal' })
    },
  )
  // First it issues certificates for the hosts below the platform's, one for each project.
  await waitUntilIdle(started.pid)
  const server = await describeServer(started, {
    label: animalStore,
    engine,
    port,
    headers: keyHeaders(port, key),
    api: createStoreApi(animals),
  })
  const sites = { ...server, httpsPort, hosts: hosts.map(({ host }) => host), path: '/guide' }
  return { server, sites, startMs: started.startMs, folder, databaseUrl }
}
