// Two servers under the same load in alternating rounds: one row for each job.

import type { BenchContext } from '../harness/context.ts'
import { runRounds } from '../load/rounds.ts'
import { type Load, runWrk } from '../load/run-wrk.ts'
import { compareRounds, type Row, summarizeRow } from '../results/compare-rounds.ts'
import type { Engine, Server } from '../servers/server.ts'

export interface PairJob {
  name: string
  connections: number
  minRatio?: number
  load(server: Server): Load
}

interface Pair {
  context: BenchContext
  engine: Engine
  /** The second one is what the first one is compared with. */
  servers: readonly [Server, Server]
  /** What the table calls the second one. */
  peer: string
  jobs: PairJob[]
}

export async function comparePair({
  context: { cores, log, options },
  engine,
  jobs,
  peer,
  servers,
}: Pair): Promise<Row[]> {
  const rows: Row[] = []
  for (const { connections, load, minRatio, name } of jobs) {
    const contestants = servers.map((server) => ({
      run: (round: number, seconds: number) =>
        runWrk(server, load(server), { connections, seconds, round, cores: cores.generator }),
    }))
    const [samples = [], peerSamples = []] = await runRounds(contestants, options)
    const target = minRatio === undefined ? undefined : { minRatio }
    const row = compareRounds({ job: name, engine, samples, peer, peerSamples, target })
    rows.push(row)
    log(summarizeRow(row))
  }
  return rows
}
