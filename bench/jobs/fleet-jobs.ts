// The jobs of the fleet, with the targets of the design: hot, cold, get, the creates and the mixes.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkColdLists, checkCreate, checkCreated, checkHotList, checkPets } from '../checks.ts'
import type { Fleet, Surroundings } from '../fleet.ts'
import type { Section } from '../options.ts'
import { animalAt } from '../seed.ts'
import type { Pet, Server } from '../servers/server.ts'
import type { FleetJob } from './fleet-job.ts'
import { mixJobs } from './mix.ts'

const readConnections = 64
// More than a cache of ready pages is likely to hold, for each is asked again only after all others.
const cursors = 20_000
const otherServers = { least: 3 }

export function fleetJobs(surroundings: Surroundings, fleet: Fleet): Map<Section, FleetJob[]> {
  const { folder } = surroundings
  const linesFile = (server: Server, job: string, lines: string[]): string => {
    const file = join(folder, `${job}-${server.port}.txt`)
    writeFileSync(file, `${lines.join('\n')}\n`)
    return file
  }

  const coldPaths = new Map<Server, string[]>()
  const hot: FleetJob = {
    name: 'hot list of 20',
    connections: readConnections,
    prepare: async ({ dialect }) => ({ kind: 'fixed', path: dialect.hot }),
    check: (server) => checkHotList(server, fleet.captured),
    targets: { raw: { least: 0.75 }, otherServers },
  }
  const cold: FleetJob = {
    name: 'cold list, status filter',
    connections: readConnections,
    async prepare(server) {
      const paths = await server.dialect.coldPaths?.(server, cursors)
      if (!paths) return undefined
      coldPaths.set(server, paths)
      return { kind: 'paths', file: linesFile(server, 'cold', paths) }
    },
    check: (server) => checkColdLists(server, coldPaths.get(server) ?? []),
    targets: { raw: { least: 0.4 }, otherServers },
  }
  const get: FleetJob = {
    name: 'get by id',
    connections: readConnections,
    async prepare(server) {
      const { petPath, petCount } = server.dialect
      if (!petPath) return undefined
      const paths = Array.from({ length: petCount }, (_, n) => petPath(scattered(n, petCount)))
      return { kind: 'paths', file: linesFile(server, 'get', paths) }
    },
    check: (server) => checkPets(server, [1, 2, server.dialect.petCount]),
    targets: { otherServers },
  }
  const creates = [1, 32, 256].map((connections): FleetJob => {
    const firstIds = new Map<Server, Pet['id']>()
    return {
      name: `create, ${connections} connection${connections === 1 ? '' : 's'}`,
      connections,
      async prepare(server) {
        const path = server.dialect.create
        if (path === undefined) return undefined
        return { kind: 'bodies', path, file: linesFile(server, 'create', newPets(5_000)) }
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
      targets: { raw: { least: 0.4 }, otherServers },
    }
  })
  return new Map<Section, FleetJob[]>([
    ['hot', [hot]],
    ['cold', [cold]],
    ['get', [get]],
    ['create', creates],
    ['mix', mixJobs((server) => linesFile(server, 'mix', newPets(5_000, 'available')))],
  ])
}

/** The identifiers from 1 to `count`, each once, jumping about: 7919 is prime. */
function scattered(n: number, count: number): number {
  return ((n * 7919) % count) + 1
}

/** Bodies of creates, each with its animal's own status or all with the same. */
export function newPets(count: number, status?: string): string[] {
  return Array.from({ length: count }, (_, n) => {
    const { name, categoryId, status: its } = animalAt(n + 1)
    return JSON.stringify({ name, categoryId, status: status ?? its })
  })
}
