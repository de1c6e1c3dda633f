// Starts a store with the command line of the Animal Store: `serve` and `keys create`, HTTP_PORT, DATA_DIR,
// DATABASE_URL, WORKERS, /readyz, pages by `Link`. The hand-written peers have it, too.

import { findNextPage, type ServerAddress, sendRequest } from '../harness/http-client.ts'
import { runCommand } from '../harness/processes.ts'
import { seedAnimals } from '../seed/seed-animals.ts'
import type { Server, StoreApi } from './server.ts'
import { type ProgramOptions, startSeededProgram } from './start-server.ts'

export interface StoreOptions extends ProgramOptions {
  /** The number of animals before the first request. */
  animals: number
}

export async function startStore(options: StoreOptions): Promise<Server> {
  const { animals, command } = options
  let key = ''
  const server = await startSeededProgram(options, async (target, env) => {
    key = await createKey(command, env)
    await seedAnimals(target, animals)
  })
  return { ...server, ...storeAt(server.port, key, animals) }
}

/** An API key for production, created on the command line. */
export async function createKey(
  command: string[],
  env: Record<string, string | undefined>,
): Promise<string> {
  const create = ['keys', 'create', '--environment', 'production', '--label', 'bench']
  const { stdout } = await runCommand([...command, ...create], env)
  return stdout.trim()
}

/** Makes requests to a server go to its store. */
export const storeAt = (port: number, key: string, animals: number) => ({
  headers: { Host: `localhost:${port}`, Authorization: `Bearer ${key}` },
  api: createStoreApi(animals),
})

function createStoreApi(maxPetId: number): StoreApi {
  return {
    listPath: '/v1/pets',
    findColdPaths: collectCursors,
    petPath: (id) => `/v1/pets/${id}`,
    createPath: '/v1/pets',
    ordersPath: '/v1/store/orders',
    maxPetId,
    parseList: (body) => JSON.parse(body),
  }
}

/** The API of a server that sends fixed responses for any cursor. */
export function createFixedStoreApi(): StoreApi {
  return {
    ...createStoreApi(100_000),
    findColdPaths: async (_address, count) =>
      Array.from({ length: count }, (_, n) => `/v1/pets?limit=20&status=available&cursor=${n}`),
  }
}

const available = 'status=available'

/**
 * Collects different cursors, one for each available animal, so that their pages of 20 overlap but are never the
 * same. Follows pages of 100 first; from each of their cursors, pages of one animal are followed in parallel.
 */
async function collectCursors(address: ServerAddress, count: number): Promise<string[]> {
  const step = 100
  const starts = await followPages(address, `/v1/pets?limit=${step}&${available}`, count / step)
  const paths = starts.map(async (start) => {
    const path = `/v1/pets?limit=1&${available}&cursor=${start}`
    const cursors = await followPages(address, path, step)
    return cursors.map((cursor) => `/v1/pets?limit=20&${available}&cursor=${cursor}`)
  })
  return (await Promise.all(paths)).flat()
}

/** Follows `next` this many times. Returns the cursors, encoded for a URL. */
async function followPages(
  address: ServerAddress,
  startPath: string,
  steps: number,
): Promise<string[]> {
  const cursors: string[] = []
  let path = startPath
  while (cursors.length < steps) {
    const response = await sendRequest(address, path)
    const next = findNextPage(response.header('Link'))
    if (next === undefined) throw new Error(`no next page: ${response.status} ${response.body}`)
    cursors.push(new URLSearchParams(next.split('?')[1]).get('cursor') ?? '')
    path = next
  }
  return cursors.map(encodeURIComponent)
}
