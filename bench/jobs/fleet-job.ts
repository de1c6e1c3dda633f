// One job of the fleet: the same load on every server that can take it, in alternated rounds,
// with the answers checked before and after. Ours on SQLite is compared with every peer; ours on
// PostgreSQL with raw node:http and with ours on SQLite, for the peers' stores are on SQLite.

import type { Fleet, Surroundings } from '../fleet.ts'
import { compareRounds, type Row, type Target } from '../results.ts'
import { runRounds } from '../rounds.ts'
import type { Server } from '../servers/server.ts'
import { type Load, runWrk, type Sample } from '../wrk.ts'

export interface FleetJob {
  name: string
  connections: number
  /** undefined for a server that cannot do this job. */
  prepare(server: Server): Promise<Load | undefined>
  check(server: Server, load: Load): Promise<void>
  /** What checks that need the whole job do at its end, with every sample of the server. */
  checkAfter?(server: Server, samples: Sample[]): Promise<void>
  targets: { raw?: Target; otherServers?: Target }
}

export async function runFleetJob(
  job: FleetJob,
  { ours, peers }: Pick<Fleet, 'ours' | 'peers'>,
  { options, cores, say }: Surroundings,
): Promise<Row[]> {
  say(`${job.name}: preparing`)
  const entries: { server: Server; load: Load }[] = []
  for (const server of [...ours, ...peers]) {
    const load = await job.prepare(server)
    if (!load) continue
    await job.check(server, load)
    entries.push({ server, load })
  }
  say(`${job.name}: ${entries.length} servers, ${options.rounds} rounds of ${options.seconds} s`)
  const samplesOf = new Map<Server, Sample[]>(entries.map(({ server }) => [server, []]))
  const contestants = entries.map(({ server, load }) => ({
    async run(round: number, seconds: number) {
      const { connections } = job
      const run = { connections, seconds, round, cores: cores.generator }
      const sample = await runWrk(server, load, run)
      samplesOf.get(server)?.push(sample)
      return sample
    },
  }))
  const rounds = await runRounds(contestants, options)
  for (const { server, load } of entries) {
    await job.check(server, load)
    await job.checkAfter?.(server, samplesOf.get(server) ?? [])
  }

  const results = entries.map(({ server }, index) => ({ server, samples: rounds[index] ?? [] }))
  const [reference] = results.filter(({ server }) => isOurs(server) && server.engine === 'SQLite')
  return results
    .filter(({ server }) => isOurs(server))
    .flatMap((mine) => {
      const others = results.filter(({ server }) => !isOurs(server))
      const compared =
        mine.server.engine === 'SQLite'
          ? others
          : [...others.filter(({ server }) => isRaw(server)), ...(reference ? [reference] : [])]
      return compared.map((other) =>
        compareRounds({
          job: job.name,
          engine: mine.server.engine,
          ours: mine.samples,
          peer: isOurs(other.server) ? 'ours on SQLite' : other.server.label,
          theirs: other.samples,
          target: targetFor(job, other.server),
        }),
      )
    })
}

function targetFor({ targets }: FleetJob, peer: Server): Target | undefined {
  if (isOurs(peer) || peer.label === 'nginx') return undefined
  return isRaw(peer) ? targets.raw : targets.otherServers
}

function isOurs({ label }: Server): boolean {
  return label === 'ours'
}

function isRaw({ label }: Server): boolean {
  return label === 'raw node:http'
}
