// Compares the Animal Store with its peers: the same load on every server that supports it, in alternating rounds, with
// responses checked before and after. On SQLite the Animal Store is compared with every peer; on PostgreSQL with raw
// node:http and with itself on SQLite.

import type { BenchContext } from '../harness/context.ts'
import { runRounds } from '../load/rounds.ts'
import { type Load, runWrk } from '../load/run-wrk.ts'
import { compareRounds, compareTail, type Row, type Target } from '../results/compare-rounds.ts'
import type { Sample } from '../results/sample.ts'
import { animalStore, type Server } from '../servers/server.ts'

export interface ComparisonJob {
  name: string
  connections: number
  /** Resolves with undefined if the server does not support this job. */
  prepare(server: Server): Promise<Load | undefined>
  check(server: Server, load: Load): Promise<void>
  /** A check at the end that needs all samples of the server, including the warm-up's. */
  checkAfter?(server: Server, samples: Sample[]): Promise<void>
  /** By the label of the peer. */
  targets: Partial<Record<string, Target>>
  /** Of the p99 compared with the p50. */
  tailTarget?: Target
}

/** The peer of the store on PostgreSQL. */
export const storeOnSqliteLabel = `${animalStore} on SQLite`

/** At least that many times as fast as the servers that people use. */
export const timesAsFast = (minRatio: number) => ({
  Express: { minRatio },
  Hono: { minRatio },
})

export async function runComparison(
  job: ComparisonJob,
  servers: Server[],
  { options, cores, log }: BenchContext,
): Promise<Row[]> {
  log(`${job.name}: preparing`)
  const entries: { server: Server; load: Load }[] = []
  for (const server of servers) {
    const load = await job.prepare(server)
    if (!load) continue
    await job.check(server, load)
    entries.push({ server, load })
  }
  log(`${job.name}: ${entries.length} servers, ${options.rounds} rounds of ${options.seconds} s`)
  const allSamples = new Map<Server, Sample[]>(entries.map(({ server }) => [server, []]))
  const contestants = entries.map(({ server, load }) => async (round: number, seconds: number) => {
    const options = { connections: job.connections, seconds, round, cores: cores.generator }
    const sample = await runWrk(server, load, options)
    allSamples.get(server)?.push(sample)
    return sample
  })
  const rounds = await runRounds(contestants, options)
  for (const { server, load } of entries) {
    await job.check(server, load)
    await job.checkAfter?.(server, allSamples.get(server) ?? [])
  }

  const results = entries.map(({ server }, index) => ({ server, samples: rounds[index] ?? [] }))
  const stores = results.filter(({ server }) => isAnimalStore(server))
  const peers = results.filter(({ server }) => !isAnimalStore(server))
  const storeOnSqlite = stores.filter(({ server }) => server.engine === 'SQLite')
  return stores.flatMap((store) => {
    const comparedWith =
      store.server.engine === 'SQLite'
        ? peers
        : [...peers.filter(({ server }) => isRawNode(server)), ...storeOnSqlite]
    const rows = comparedWith.map((other) => {
      const peer = isAnimalStore(other.server) ? storeOnSqliteLabel : other.server.label
      return compareRounds({
        job: job.name,
        engine: store.server.engine,
        samples: store.samples,
        peer,
        peerSamples: other.samples,
        target: job.targets[peer],
      })
    })
    if (!job.tailTarget) return rows
    return [...rows, compareTail(job.name, store.server.engine, store.samples, job.tailTarget)]
  })
}

function isAnimalStore({ label }: Server): boolean {
  return label === animalStore
}

function isRawNode({ label }: Server): boolean {
  return label === 'raw node:http'
}
