// Our own program with one published site at custom domains, by HTTP and HTTPS.

import { ask, findFreePort } from '../http-client.ts'
import { type SeededDomains, seedDomains } from '../seed-domains.ts'
import { seedSite } from '../seed-site.ts'
import { readRestBytes, type ServerPlace, startServer, waitUntilIdle } from './start-server.ts'
import type { TlsServer } from './tls-server.ts'

export interface EdgeOptions extends ServerPlace, SeededDomains {
  command: string[]
  /** Of the page at /guide. */
  text: string
  databaseUrl?: string | undefined
}

export async function startEdge(options: EdgeOptions): Promise<TlsServer> {
  const { command, cores, databaseUrl, folder, hosts, text } = options
  const [port, httpsPort] = [await findFreePort(), await findFreePort()]
  const env = {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    HTTP_PORT: String(port),
    HTTPS_PORT: String(httpsPort),
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    FIRST_PROJECT: 'off',
    WORKERS: '1',
  }
  const serve = () =>
    startServer({
      label: 'ours',
      command: [...command, 'serve'],
      env,
      folder,
      cores,
      address: { port, headers: { Host: `localhost:${port}` } },
      readyPath: '/readyz',
    })
  const first = await serve()
  await first.stop()
  const target = databaseUrl ? { databaseUrl } : { folder }
  await seedSite(target, 'bench', { 'guide.html': text })
  await seedDomains(target, folder, options)
  const started = await serve()
  // Hosts of our own get their certificates first: one for each project.
  await waitUntilIdle(started.pid)
  const [own] = hosts
  const server: TlsServer = {
    label: 'ours',
    engine: databaseUrl ? 'PostgreSQL' : 'SQLite',
    port,
    httpsPort,
    hosts: hosts.map(({ host }) => host),
    path: '/guide',
    pid: started.pid,
    headers: { Host: own?.host ?? '' },
    dialect: { hot: '/guide', petCount: 0, readPets: () => [] },
    restBytes: await readRestBytes(started.pid),
    stop: () => started.stop(),
    lastWords: () => started.lastWords(),
  }
  const { status } = await ask(server, server.path)
  // To HTTPS, where the certificate is one that browsers know.
  if (status !== 200 && status !== 301) throw new Error(`no page at a domain: ${status}`)
  return server
}
