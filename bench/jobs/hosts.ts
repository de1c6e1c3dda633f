// Section hosts: what the number of domains in the database costs. Measures requests and handshakes at ten domains,
// and requests at unknown hosts, with ten, a thousand and a hundred thousand domains. Also measures, without a
// target, requests at each domain in turn: more hosts than the cache holds, so that most are read from the database.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchContext, createDatabaseFor, createServerPlace } from '../harness/context.ts'
import { sendRequest } from '../harness/http-client.ts'
import { alternate, warmUp } from '../load/rounds.ts'
import { runHandshakes } from '../load/run-handshakes.ts'
import { runWrk } from '../load/run-wrk.ts'
import { compareRounds, type Row, summarizeRow } from '../results/compare-rounds.ts'
import type { Sample } from '../results/sample.ts'
import { issueCertificates } from '../seed/seed-domains.ts'
import { createPage } from '../seed/seed-site.ts'
import type { TlsServer } from '../servers/server.ts'
import { startSiteWithDomains } from '../servers/site-server.ts'

const domainCounts = [10, 1000, 100_000] as const
const requestedDomains = 10
const connections = 64
const warmUpHandshakes = 2000
const warmUpRequests = 20_000
/** More than a process caches of unknown hosts. */
const unknownHosts = 60_000
/** At most 1.2 times the time per request. */
const target = { minRatio: 1 / 1.2 }

interface CountedServer {
  /** The number of domains in its database. */
  domains: number
  server: TlsServer
}

interface HostsJob {
  name: string
  unit: Row['unit']
  /** The least number of requests that are not counted. */
  warmUpRequests: number
  run(server: TlsServer, round: number): Promise<Sample>
}

export async function runHosts(context: BenchContext): Promise<Row[]> {
  const { cores, options, log } = context
  const hosts = await issueCertificates(
    Array.from({ length: requestedDomains }, (_, n) => `docs-${n}.bench.example`),
  )
  const rows: Row[] = []
  for (const engine of options.engines) {
    const servers: CountedServer[] = []
    try {
      for (const domains of domainCounts) {
        log(`hosts: ${domains.toLocaleString('en')} domains on ${engine}`)
        const server = await startSiteWithDomains({
          ...createServerPlace(context, cores.server),
          command: options.command,
          databaseUrl: createDatabaseFor(context, engine, `hosts${domains}`),
          text: createPage(1000),
          hosts,
          fillers: domains - hosts.length,
          directory: 'internal',
        })
        servers.push({ domains, server })
      }
      rows.push(...(await measureServers(context, servers)))
    } finally {
      await Promise.all(servers.map(({ server }) => server.stop()))
    }
  }
  return rows
}

async function measureServers(context: BenchContext, servers: CountedServer[]): Promise<Row[]> {
  const { options, log } = context
  const [smallest, ...larger] = servers
  const largest = servers.at(-1)
  if (!smallest || !largest) return []
  const { engine } = smallest.server
  const rows: Row[] = []
  const compare = (
    job: HostsJob,
    { domains }: CountedServer,
    samples: Sample[],
    peer: string,
    peerSamples: Sample[],
  ): Row =>
    compareRounds({
      job: `${job.name}, of ${domains.toLocaleString('en')}`,
      engine,
      unit: job.unit,
      samples,
      peer,
      peerSamples,
    })
  const tenDomains = createTenDomainsJob(context)
  for (const job of [
    tenDomains,
    createHandshakeJob(context),
    createUnknownHostsJob(context, unknownHosts),
  ]) {
    log(`hosts: ${job.name} on ${engine}, ${options.rounds} rounds of ${options.seconds} s`)
    for (const { server } of servers) await warmUp(job.warmUpRequests, () => job.run(server, 0))
    const runs = servers.map(
      ({ server }) =>
        (round: number) =>
          job.run(server, round),
    )
    const [peerSamples = [], ...others] = await alternate(runs, options.rounds)
    for (const [index, each] of larger.entries()) {
      const samples = others[index] ?? []
      const row = compare(job, each, samples, `with ${smallest.domains}`, peerSamples)
      log(`hosts: ${summarizeRow(row)}`)
      rows.push({ ...row, target })
    }
  }
  const inTurn = createAllDomainsJob(context, largest)
  log(`hosts: ${inTurn.name} on ${engine}`)
  await warmUp(inTurn.warmUpRequests, () => inTurn.run(largest.server, 0))
  const runs = [inTurn, tenDomains].map((job) => (round: number) => job.run(largest.server, round))
  const [samples = [], peerSamples = []] = await alternate(runs, options.rounds)
  rows.push(compare(inTurn, largest, samples, 'ten of them', peerSamples))
  return rows
}

function createHandshakeJob({ cores, options }: BenchContext): HostsJob {
  const kind = { version: 'TLSv1.3', isResumed: false } as const
  return {
    name: 'handshake at ten domains',
    unit: '/cpu s',
    warmUpRequests: warmUpHandshakes,
    run: (server) =>
      runHandshakes(server, kind, { seconds: options.seconds, cores: cores.generator }),
  }
}

/** Every response must be 404, which wrk counts as an error. */
function createUnknownHostsJob(context: BenchContext, count: number): HostsJob {
  const hosts = Array.from({ length: count }, (_, n) => `unknown-${n}.bench.example`)
  const job = createRequestJob(context, 'request at unknown hosts', 'unknown-hosts', () => hosts)
  return {
    ...job,
    async run(server, round) {
      const sample = await job.run(server, round)
      const unknown = { ...server, headers: { Host: 'unknown.bench.example' } }
      const { status } = await sendRequest(unknown, '/guide')
      const isRight = status === 404 && sample.errors === sample.requests
      return { ...sample, errors: isRight ? 0 : sample.errors }
    },
  }
}

function createTenDomainsJob(context: BenchContext): HostsJob {
  return createRequestJob(context, 'request at ten domains', 'ten-hosts', ({ hosts }) => hosts)
}

function createAllDomainsJob(context: BenchContext, { domains }: CountedServer): HostsJob {
  const hosts = Array.from(
    { length: domains - requestedDomains },
    (_, n) => `filler-${n + 1}.bench.example`,
  )
  return createRequestJob(context, 'request at each domain in turn', 'all-hosts', () => hosts)
}

/** HTTP requests at `hosts` in turn. */
function createRequestJob(
  { cores, folder, options }: BenchContext,
  name: string,
  fileName: string,
  hostsOf: (server: TlsServer) => string[],
): HostsJob {
  const file = join(folder, fileName)
  return {
    name,
    unit: 'req/s',
    warmUpRequests,
    async run(server, round) {
      writeFileSync(file, `${hostsOf(server).join('\n')}\n`)
      return await runWrk(
        { ...server, headers: {} },
        { kind: 'hosts', path: server.path, file },
        { connections, seconds: options.seconds, round, cores: cores.generator },
      )
    },
  }
}
