// Two worker processes against one. Both servers may use both cores; where the load generator
// has no core of its own, what it takes is missing from the two workers, so that the note under
// the table says what the processor time per request would allow.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newPlace, type Surroundings } from '../fleet.ts'
import { compareRounds, cpuPerRequestUs, type Row } from '../results.ts'
import { runRounds } from '../rounds.ts'
import type { Server } from '../servers/server.ts'
import { startStore } from '../servers/store-server.ts'
import { spreadOf } from '../statistics.ts'
import { type Load, runWrk, type Sample } from '../wrk.ts'
import { newPets } from './fleet-jobs.ts'

const animals = 100_000
const target = { least: 1.7 }

interface WorkersJob {
  name: string
  connections: number
  /** Writes on SQLite have one writer at a time, whatever the workers: no target. */
  hasTarget: boolean
  prepare(server: Server): Promise<Load>
}

export async function runWorkers(
  surroundings: Surroundings,
): Promise<{ rows: Row[]; notes: string[] }> {
  const { options, cores, say } = surroundings
  const start = (workers: number) =>
    startStore({
      ...newPlace(surroundings, cores.twoWorkers),
      label: 'ours',
      command: options.ours,
      animals,
      workers,
    })
  say('workers: starting one worker, and two')
  const servers = [await start(2), await start(1)]
  const rows: Row[] = []
  const notes: string[] = []
  try {
    for (const job of workersJobs(surroundings)) {
      say(`workers: ${job.name}`)
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
          ours: two,
          peer: '1 worker',
          theirs: one,
          target: job.hasTarget ? target : undefined,
        }),
      )
      notes.push(noteOn(job.name, one, two))
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
  return { rows, notes }
}

function workersJobs({ folder }: Surroundings): WorkersJob[] {
  const file = (server: Server, name: string, lines: string[]): string => {
    const path = join(folder, `workers-${name}-${server.port}.txt`)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }
  return [
    {
      name: 'hot list of 20',
      connections: 64,
      hasTarget: true,
      prepare: async ({ dialect }) => ({ kind: 'fixed', path: dialect.hot }),
    },
    {
      name: 'cold list, status filter',
      connections: 64,
      hasTarget: true,
      async prepare(server) {
        const paths = (await server.dialect.coldPaths?.(server, 20_000)) ?? []
        return { kind: 'paths', file: file(server, 'cold', paths) }
      },
    },
    {
      name: 'create, 32 connections',
      connections: 32,
      hasTarget: false,
      prepare: async (server) => ({
        kind: 'bodies',
        path: server.dialect.create ?? '',
        file: file(server, 'create', newPets(5_000)),
      }),
    },
  ]
}

function noteOn(name: string, one: Sample[], two: Sample[]): string {
  const [before, after] = [cpuPerRequestUs(one), cpuPerRequestUs(two)]
  const generator = spreadOf(
    two.map(({ generatorCpuSeconds, requests }) => (generatorCpuSeconds / requests) * 1e6),
  ).median
  const us = (value: number) => `${value.toFixed(1)} µs`
  return (
    `2 workers, ${name}: processor time per request ${us(after)} (one worker: ${us(before)}), ` +
    `the load generator's ${us(generator)}; with cores to spare for it the ratio could reach ` +
    `${((2 * before) / after).toFixed(2)}`
  )
}
