// Our own program with one published site, asked at the site's host. The store beside it is empty.

import { findFreePort } from '../http-client.ts'
import { seedSite } from '../seed-site.ts'
import type { Server } from './server.ts'
import { readRestBytes, type ServerPlace, startServer } from './start-server.ts'

export interface SiteOptions extends ServerPlace {
  command: string[]
  files: Record<string, string>
  databaseUrl?: string | undefined
}

export async function startSite(options: SiteOptions): Promise<Server> {
  const { command, cores, databaseUrl, files, folder } = options
  const port = await findFreePort()
  const env = {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    HTTP_PORT: String(port),
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    FIRST_PROJECT: 'off',
    HTTPS_PORT: 'off',
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
  await seedSite(databaseUrl ? { databaseUrl } : { folder }, 'bench', files)
  const started = await serve()
  return {
    label: 'ours',
    engine: databaseUrl ? 'PostgreSQL' : 'SQLite',
    port,
    pid: started.pid,
    headers: { Host: `bench.docs.localhost:${port}` },
    dialect: { hot: '/', petCount: 0, readPets: () => [] },
    restBytes: await readRestBytes(started.pid),
    stop: () => started.stop(),
    lastWords: () => started.lastWords(),
  }
}
