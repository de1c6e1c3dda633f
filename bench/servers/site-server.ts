// Starts the Animal Store with one published site, and with domains and animals where a job needs them.

import type { ServerPlace } from '../harness/context.ts'
import { sendRequest } from '../harness/http-client.ts'
import { seedAnimals } from '../seed/seed-animals.ts'
import { type SeededDomains, seedDomains } from '../seed/seed-domains.ts'
import { createPage, seedSite } from '../seed/seed-site.ts'
import { animalStore, type Server, type TlsServer } from './server.ts'
import { startSeededProgram } from './start-server.ts'
import { createKey, storeAt } from './store-server.ts'

interface ProgramPlace extends ServerPlace {
  command: string[]
  databaseUrl?: string | undefined
}

export interface SiteOptions extends ProgramPlace {
  files: Record<string, string>
}

/** Requests go to the site's host below the platform's, over HTTP. */
export async function startSite({ files, ...program }: SiteOptions): Promise<Server> {
  const env = { FIRST_PROJECT: 'off', HTTPS_PORT: 'off' }
  const server = await startSeededProgram({ ...program, label: animalStore, env }, (target) =>
    seedSite(target, 'bench', files),
  )
  return { ...server, headers: { Host: `bench.docs.localhost:${server.port}` } }
}

export interface DomainsOptions extends ProgramPlace, SeededDomains {
  /** The page at /guide. */
  text: string
  /** Further files of the site. */
  files?: Record<string, string>
}

/** Requests go to custom domains, over HTTP and HTTPS. `seed`: what else the installation has. */
export async function startSiteWithDomains(
  options: DomainsOptions,
  seed: Parameters<typeof startSeededProgram>[1] = async () => {},
): Promise<TlsServer> {
  const { files, folder, hosts, text } = options
  const program = await startSeededProgram(
    { ...options, label: animalStore, env: { FIRST_PROJECT: 'off' } },
    async (target, env) => {
      await seed(target, env)
      await seedSite(target, 'bench', { 'guide.html': text, ...files })
      await seedDomains(target, folder, options)
    },
  )
  const server: TlsServer = {
    ...program,
    headers: { Host: hosts[0]?.host ?? '' },
    hosts: hosts.map(({ host }) => host),
    path: '/guide',
  }
  const { status } = await sendRequest(server, server.path)
  // 301 to HTTPS if browsers trust the certificate's authority.
  if (status !== 200 && status !== 301) throw new Error(`no page at a custom domain: ${status}`)
  return server
}

export type Installation = Awaited<ReturnType<typeof startInstallation>>

/** With animals, projects, domains and certificates. */
export async function startInstallation(
  options: Omit<DomainsOptions, 'text' | 'directory'> & { animals: number },
) {
  const { animals, command, databaseUrl, folder } = options
  let key = ''
  const site = { text: createPage(10_000), directory: 'internal' }
  const sites = await startSiteWithDomains({ ...options, ...site }, async (target, env) => {
    key = await createKey(command, env)
    await seedAnimals(target, animals)
  })
  return {
    /** Requests go to its store. */
    server: { ...sites, ...storeAt(sites.port, key, animals) } as Server,
    /** The same process; requests go to the custom domains. */
    sites,
    folder,
    databaseUrl,
  }
}
