// What the number of domains in the database costs: requests and handshakes at ten of them, and requests at
// hosts that nobody has, with ten domains, a thousand and a hundred thousand. Beside it, without a target: a
// hundred thousand hosts in turn, which is more than are remembered, so that each is read from the database.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createInternalRoot,
  issueInternally,
} from '../../server/publishing/acme/x509/internal-issuer.ts'
import { newPlace, type Surroundings } from '../fleet.ts'
import { runHandshakes } from '../handshakes.ts'
import { ask } from '../http-client.ts'
import type { EngineName } from '../options.ts'
import { compareRounds, type Row, sayRatio } from '../results.ts'
import { alternate } from '../rounds.ts'
import type { SeededHost } from '../seed-domains.ts'
import { startEdge } from '../servers/edge-server.ts'
import type { TlsServer } from '../servers/tls-server.ts'
import { settle } from '../settle.ts'
import { pageOf } from '../site-page.ts'
import { runWrk, type Sample } from '../wrk.ts'

const counts = [10, 1000, 100_000] as const
const inUse = 10
const connections = 64
const warmHandshakes = 2000
const warmRequests = 20_000
/** More than a process remembers of hosts that are not there. */
const strangers = 60_000
/** Flat: at most 1.2 times as dear. */
const target = { least: 1 / 1.2 }

interface Crowd {
  domains: number
  server: TlsServer
}

interface HostsJob {
  name: string
  unit: Row['unit']
  /** Requests before any that counts. */
  warmUp: number
  run(server: TlsServer, round: number): Promise<Sample>
}

export async function runHosts(surroundings: Surroundings): Promise<Row[]> {
  const { options, say } = surroundings
  const root = await createInternalRoot('Bench root', Date.now())
  const hosts: SeededHost[] = []
  for (let n = 0; n < inUse; n++) {
    const host = `docs-${n}.bench.example`
    hosts.push({ host, ...(await issueInternally(root, [host], { days: 30, now: Date.now() })) })
  }
  const rows: Row[] = []
  for (const engine of options.engines) {
    const crowds: Crowd[] = []
    try {
      for (const domains of counts) {
        say(`hosts: ${domains.toLocaleString('en')} domains on ${engine}`)
        crowds.push({ domains, server: await start(surroundings, engine, hosts, domains) })
      }
      rows.push(...(await measure(surroundings, crowds)))
    } finally {
      await Promise.all(crowds.map(({ server }) => server.stop()))
    }
  }
  return rows
}

async function start(
  surroundings: Surroundings,
  engine: EngineName,
  hosts: SeededHost[],
  domains: number,
): Promise<TlsServer> {
  const { cores, options, postgres } = surroundings
  const databaseUrl =
    engine === 'postgresql' ? postgres?.createDatabase(`hosts${domains}`) : undefined
  return await startEdge({
    ...newPlace(surroundings, cores.server),
    command: options.ours,
    databaseUrl,
    text: pageOf(1000),
    hosts,
    fillers: domains - hosts.length,
    directory: 'internal',
  })
}

async function measure(surroundings: Surroundings, crowds: Crowd[]): Promise<Row[]> {
  const { options, say } = surroundings
  const rows: Row[] = []
  const [few, ...more] = crowds
  if (!few) return rows
  const engine = few.server.engine
  const compare = (job: HostsJob, crowd: Crowd, ours: Sample[], peer: string, theirs: Sample[]) =>
    compareRounds({
      job: `${job.name}, of ${crowd.domains.toLocaleString('en')}`,
      engine,
      unit: job.unit,
      ours,
      peer,
      theirs,
    })
  for (const job of jobsOf(surroundings)) {
    say(`hosts: ${job.name} on ${engine}, ${options.rounds} rounds of ${options.seconds} s`)
    for (const { server } of crowds) await settle(job.warmUp, () => job.run(server, 0))
    const runs = crowds.map(
      ({ server }) =>
        (round: number) =>
          job.run(server, round),
    )
    const [first = [], ...others] = await alternate(runs, options.rounds)
    for (const [index, crowd] of more.entries()) {
      const row = compare(job, crowd, others[index] ?? [], `with ${few.domains}`, first)
      say(`hosts: ${sayRatio(row)}`)
      rows.push({ ...row, target })
    }
  }
  const [most] = crowds.slice(-1)
  if (!most) return rows
  const [inTurn, ofTen] = allInTurn(surroundings, most)
  say(`hosts: ${inTurn.name} on ${engine}`)
  await settle(inTurn.warmUp, () => inTurn.run(most.server, 0))
  const runs = [inTurn, ofTen].map((job) => (round: number) => job.run(most.server, round))
  const [turned = [], ten = []] = await alternate(runs, options.rounds)
  rows.push(compare(inTurn, most, turned, 'ten of them', ten))
  return rows
}

function jobsOf({ cores, folder, options }: Surroundings): HostsJob[] {
  const { seconds } = options
  const strangersFile = join(folder, 'strangers')
  const names = Array.from({ length: strangers }, (_, n) => `nobody-${n}.bench.example`)
  writeFileSync(strangersFile, `${names.join('\n')}\n`)
  const handshakes = { version: 'TLSv1.3', isResumed: false } as const
  const options_ = { seconds, cores: cores.generator }
  return [
    tenHosts({ cores, folder, options }),
    {
      name: 'handshake at ten domains',
      unit: '/cpu s',
      warmUp: warmHandshakes,
      run: (server) => runHandshakes(server, handshakes, options_),
    },
    {
      name: 'request at hosts of nobody',
      unit: 'req/s',
      warmUp: warmRequests,
      async run(server, round) {
        const run = { connections, seconds, round, cores: cores.generator }
        const load = { kind: 'hosts', path: server.path, file: strangersFile } as const
        return notFound(server, await runWrk({ ...server, headers: {} }, load, run))
      },
    },
  ]
}

type Needed = Pick<Surroundings, 'cores' | 'folder' | 'options'>

function tenHosts({ cores, folder, options }: Needed): HostsJob {
  return {
    name: 'request at ten domains',
    unit: 'req/s',
    warmUp: warmRequests,
    async run(server, round) {
      const file = join(folder, 'ten-hosts')
      writeFileSync(file, `${server.hosts.join('\n')}\n`)
      const run = { connections, seconds: options.seconds, round, cores: cores.generator }
      return await runWrk(
        { ...server, headers: {} },
        { kind: 'hosts', path: server.path, file },
        run,
      )
    },
  }
}

function allInTurn(needed: Needed, { domains }: Crowd): [HostsJob, HostsJob] {
  const { cores, folder, options } = needed
  const file = join(folder, 'all-hosts')
  const names = Array.from({ length: domains - inUse }, (_, n) => `filler-${n + 1}.bench.example`)
  writeFileSync(file, `${names.join('\n')}\n`)
  const inTurn: HostsJob = {
    name: 'request at each domain in turn',
    unit: 'req/s',
    warmUp: warmRequests,
    async run(server, round) {
      const run = { connections, seconds: options.seconds, round, cores: cores.generator }
      return await runWrk(
        { ...server, headers: {} },
        { kind: 'hosts', path: server.path, file },
        run,
      )
    },
  }
  return [inTurn, tenHosts(needed)]
}

/** Each has to be told that there is nothing, which wrk counts as refused. */
async function notFound(server: TlsServer, sample: Sample): Promise<Sample> {
  const { status } = await ask({ ...server, headers: { Host: 'nobody.bench.example' } }, '/guide')
  const isRight = status === 404 && sample.errors === sample.requests
  return { ...sample, errors: isRight ? 0 : sample.errors }
}
