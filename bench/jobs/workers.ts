// Section workers: two worker processes compared with one. Both servers may use two cores. On a machine with only two
// cores, the load generator takes some of their time, so a note says which ratio the processor time per request
// would allow with a separate core for the generator.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchContext, createServerPlace } from '../harness/context.ts'
import { runRounds } from '../load/rounds.ts'
import { type Load, runWrk } from '../load/run-wrk.ts'
import {
  compareRounds,
  cpuPerRequestUs,
  type Row,
  type SectionResults,
} from '../results/compare-rounds.ts'
import type { Sample } from '../results/sample.ts'
import { medianOf } from '../results/statistics.ts'
import { animalStore, type Server } from '../servers/server.ts'
import { startStore } from '../servers/store-server.ts'
import { createBodies } from './store.ts'

const animals = 100_000
const target = { minRatio: 1.7 }

interface WorkersJob {
  name: string
  connections: number
  /** Writes have none: SQLite has one writer at a time, independent of the number of workers. */
  hasTarget: boolean
  prepare(server: Server): Promise<Load>
}

export async function runWorkers(context: BenchContext): Promise<SectionResults> {
  const { options, cores, log } = context
  const start = (workers: number) =>
    startStore({
      ...createServerPlace(context, cores.twoWorkers),
      label: animalStore,
      command: options.command,
      animals,
      workers,
    })
  log('workers: starting a server with one worker and one with two')
  const servers = [await start(2), await start(1)]
  const rows: Row[] = []
  const notes: string[] = []
  try {
    for (const job of createJobs(context)) {
      log(`workers: ${job.name}`)
      const contestants = []
      for (const server of servers) {
        const load = await job.prepare(server)
        const { connections } = job
        contestants.push({
          run: (round: number, seconds: number) =>
            runWrk(server, load, { connections, seconds, round, cores: cores.twoWorkersGenerator }),
        })
      }
      const [two = [], one = []] = await runRounds(contestants, options)
      rows.push(
        compareRounds({
          job: `2 workers: ${job.name}`,
          engine: 'SQLite',
          samples: two,
          peer: '1 worker',
          peerSamples: one,
          target: job.hasTarget ? target : undefined,
        }),
      )
      notes.push(createNote(job.name, one, two))
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
  return { rows, notes }
}

function createJobs({ folder }: BenchContext): WorkersJob[] {
  const writeLines = (server: Server, name: string, lines: string[]): string => {
    const path = join(folder, `workers-${name}-${server.port}.txt`)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }
  return [
    {
      name: 'hot list of 20',
      connections: 64,
      hasTarget: true,
      prepare: async ({ api }) => ({ kind: 'fixed', path: api.listPath }),
    },
    {
      name: 'cold list, status filter',
      connections: 64,
      hasTarget: true,
      async prepare(server) {
        const paths = (await server.api.findColdPaths?.(server, 20_000)) ?? []
        return { kind: 'paths', file: writeLines(server, 'cold', paths) }
      },
    },
    {
      name: 'create, 32 connections',
      connections: 32,
      hasTarget: false,
      prepare: async (server) => ({
        kind: 'bodies',
        path: server.api.createPath ?? '',
        file: writeLines(server, 'create', createBodies(5_000)),
      }),
    },
  ]
}

function createNote(name: string, one: Sample[], two: Sample[]): string {
  const [before, after] = [cpuPerRequestUs(one), cpuPerRequestUs(two)]
  const generator = medianOf(
    two.map(({ generatorCpuSeconds, requests }) => (generatorCpuSeconds / requests) * 1e6),
  )
  const us = (value: number) => `${value.toFixed(1)} µs`
  return (
    `2 workers, ${name}: processor time per request ${us(after)} (one worker: ${us(before)}), ` +
    `load generator ${us(generator)}; with a separate core for the generator the ratio could reach ` +
    `${((2 * before) / after).toFixed(2)}`
  )
}
