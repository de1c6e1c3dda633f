// Sections hot, cold, get, create and mix: the Animal Store and its peers under the same load.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchContext } from '../harness/context.ts'
import type { Section } from '../harness/options.ts'
import type { Row } from '../results/compare-rounds.ts'
import { type Pet, seededAnimal } from '../seed/seed-animals.ts'
import type { Server } from '../servers/server.ts'
import {
  type StoreAndPeers,
  startStoreAndPeers,
  stopStoreAndPeers,
} from '../servers/store-and-peers.ts'
import {
  checkColdLists,
  checkCreate,
  checkCreated,
  checkHotList,
  checkPets,
} from './check-responses.ts'
import { type ComparisonJob, runComparison, storeOnSqliteLabel, timesAsFast } from './comparison.ts'
import { createMixJobs } from './mix.ts'

export const storeSections: Section[] = ['hot', 'cold', 'get', 'create', 'mix']

const readConnections = 64
// More than a cache of pages is likely to hold: each page is requested again only after all others.
const cursors = 20_000
export async function runStoreSections(context: BenchContext): Promise<Row[]> {
  const { sections } = context.options
  const servers = await startStoreAndPeers(context)
  const jobs = createJobs(context, servers)
  const rows: Row[] = []
  for (const section of sections) {
    for (const job of jobs.get(section) ?? []) {
      rows.push(...(await runComparison(job, [...servers.stores, ...servers.peers], context)))
    }
  }
  await stopStoreAndPeers(servers)
  return rows
}

function createJobs(
  context: BenchContext,
  { recorded }: StoreAndPeers,
): Map<Section, ComparisonJob[]> {
  const coldPaths = new Map<Server, string[]>()
  const hot: ComparisonJob = {
    name: 'hot list of 20',
    connections: readConnections,
    prepare: async ({ api }) => ({ kind: 'fixed', path: api.listPath }),
    check: (server) => checkHotList(server, recorded),
    targets: { 'raw node:http': { minRatio: 1.3 }, nginx: { minRatio: 0.8 }, ...timesAsFast(6) },
  }
  const cold: ComparisonJob = {
    name: 'cold list, status filter',
    connections: readConnections,
    async prepare(server) {
      const paths = await server.api.findColdPaths?.(server, cursors)
      if (!paths) return undefined
      coldPaths.set(server, paths)
      return { kind: 'paths', file: writeLines(context, server, 'cold', paths) }
    },
    check: (server) => checkColdLists(server, coldPaths.get(server) ?? []),
    targets: { 'raw node:http': { minRatio: 0.4 }, ...timesAsFast(2.5) },
    tailTarget: { maxRatio: 4 },
  }
  const get: ComparisonJob = {
    name: 'get by id',
    connections: readConnections,
    async prepare(server) {
      const { petPath, maxPetId } = server.api
      if (!petPath) return undefined
      const paths = Array.from({ length: maxPetId }, (_, n) => petPath(scatteredId(n, maxPetId)))
      return { kind: 'paths', file: writeLines(context, server, 'get', paths) }
    },
    check: (server) => checkPets(server, [1, 2, server.api.maxPetId]),
    targets: { 'raw node:http': { minRatio: 0.9 }, ...timesAsFast(3) },
  }
  // One at a time, each waits for an fsync, which raw node:http has not.
  const createTargets = new Map([
    [32, 0.6],
    [256, 0.5],
  ])
  const creates = [1, 32, 256].map((connections): ComparisonJob => {
    const minRatio = createTargets.get(connections)
    const firstIds = new Map<Server, Pet['id']>()
    return {
      name: `create, ${connections} connection${connections === 1 ? '' : 's'}`,
      connections,
      async prepare(server) {
        const path = server.api.createPath
        if (path === undefined) return undefined
        return {
          kind: 'bodies',
          path,
          file: writeLines(context, server, 'create', createBodies(5_000)),
        }
      },
      async check(server) {
        const id = await checkCreate(server)
        if (!firstIds.has(server)) firstIds.set(server, id)
      },
      async checkAfter(server, samples) {
        const acknowledged = samples.reduce((sum, { requests }) => sum + requests, 0)
        const id = await checkCreate(server)
        checkCreated(server, firstIds.get(server) ?? 0, id, acknowledged)
      },
      targets: {
        ...(minRatio && { 'raw node:http': { minRatio } }),
        ...(connections === 1 && { [storeOnSqliteLabel]: { minRatio: 0.6 } }),
        ...timesAsFast(connections === 1 ? 1.3 : 4),
      },
    }
  })
  const mixes = createMixJobs((server) =>
    writeLines(context, server, 'mix', createBodies(5_000, 'available')),
  )
  return new Map<Section, ComparisonJob[]>([
    ['hot', [hot]],
    ['cold', [cold]],
    ['get', [get]],
    ['create', creates],
    ['mix', mixes],
  ])
}

/** Writes the requests of a job to a file, and returns its path. */
export function writeLines(
  { folder }: BenchContext,
  { port }: Server,
  job: string,
  lines: string[],
): string {
  const file = join(folder, `${job}-${port}.txt`)
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

/** Maps n = 0, 1, 2, … to the identifiers from 1 to `count`, each once and not in order; 7919 is prime. */
export function scatteredId(n: number, count: number): number {
  return ((n * 7919) % count) + 1
}

/** Bodies that create animals, all with the same status if one is given. */
export function createBodies(count: number, status?: string): string[] {
  return Array.from({ length: count }, (_, n) => {
    const animal = seededAnimal(n + 1)
    const { name, categoryId } = animal
    return JSON.stringify({ name, categoryId, status: status ?? animal.status })
  })
}
