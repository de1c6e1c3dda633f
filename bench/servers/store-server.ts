// A server that keeps the contract of our own: `serve` and `keys create`, HTTP_PORT, DATA_DIR,
// DATABASE_URL, WORKERS, /readyz, pages by `Link`. Ours and the two hand-written stores do, and
// so does any other command given as --ours.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type Address, ask, findFreePort, nextPage } from '../http-client.ts'
import { splitCommand } from '../processes.ts'
import { type SeedTarget, seedAnimals } from '../seed.ts'
import type { Dialect, Server } from './server.ts'
import { readRestBytes, type ServerPlace, startServer } from './start-server.ts'

export interface StoreOptions extends ServerPlace {
  label: string
  command: string[]
  /** How many animals it has before the first request. */
  animals: number
  databaseUrl?: string | undefined
  workers?: number
}

const run = promisify(execFile)

export async function startStore(options: StoreOptions): Promise<Server> {
  const { label, command, folder, cores, databaseUrl, workers = 1, animals } = options
  const port = await findFreePort()
  const env = {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    HTTP_PORT: String(port),
    HTTPS_PORT: String(await findFreePort()),
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    WORKERS: String(workers),
  }
  const host = { Host: `localhost:${port}` }
  const serve = () =>
    startServer({
      label,
      command: [...command, 'serve'],
      env,
      folder,
      cores,
      address: { port, headers: host },
      readyPath: '/readyz',
    })

  const first = await serve()
  const createKey = ['keys', 'create', '--environment', 'production', '--label', 'bench']
  const key = await run(...splitCommand([...command, ...createKey]), {
    env: { ...process.env, ...env },
  })
  await first.stop()
  const target: SeedTarget = databaseUrl ? { databaseUrl } : { folder }
  await seedAnimals(target, animals)

  const started = await serve()
  return {
    label,
    engine: databaseUrl ? 'PostgreSQL' : 'SQLite',
    port,
    pid: started.pid,
    headers: { ...host, Authorization: `Bearer ${key.stdout.trim()}` },
    dialect: storeDialect(animals),
    restBytes: await readRestBytes(started.pid),
    stop: () => started.stop(),
    lastWords: () => started.lastWords(),
  }
}

export function storeDialect(petCount: number): Dialect {
  return {
    hot: '/v1/pets',
    coldPaths: walkCursors,
    petPath: (id) => `/v1/pets/${id}`,
    create: '/v1/pets',
    orders: '/v1/store/orders',
    petCount,
    readPets: (body) => JSON.parse(body),
  }
}

const available = 'status=available'

/**
 * Cursors that all differ: each is the place after another available animal, so that pages of 20
 * from there overlap but no two are the same. A walk by hundreds gives the places from which
 * walks one by one set out side by side.
 */
async function walkCursors(address: Address, count: number): Promise<string[]> {
  const apart = 100
  const places = await walk(address, `/v1/pets?limit=${apart}&${available}`, count / apart)
  const walks = places.map(async (place) => {
    const cursors = await walk(address, `/v1/pets?limit=1&${available}&cursor=${place}`, apart)
    return cursors.map((cursor) => `/v1/pets?limit=20&${available}&cursor=${cursor}`)
  })
  return (await Promise.all(walks)).flat()
}

/** Follows `next` for so many steps; gives the cursors it met, as they stand in an address. */
async function walk(address: Address, from: string, steps: number): Promise<string[]> {
  const cursors: string[] = []
  let path = from
  while (cursors.length < steps) {
    const answer = await ask(address, path)
    const next = nextPage(answer.header('Link'))
    if (next === undefined) throw new Error(`no next page: ${answer.status} ${answer.body}`)
    cursors.push(new URLSearchParams(next.split('?')[1]).get('cursor') ?? '')
    path = next
  }
  return cursors.map(encodeURIComponent)
}
