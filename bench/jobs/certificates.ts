// Section certificates: ten thousand certificates in use in one process. Measures their memory, and the time to the
// first byte at a host that has not been requested before and at one whose certificate has been loaded.

import { type BenchContext, createDatabaseFor, createServerPlace } from '../harness/context.ts'
import { sendHttpsRequest } from '../harness/https-client.ts'
import { readTreeUsage } from '../harness/processes.ts'
import type { Row } from '../results/compare-rounds.ts'
import { percentileOf, spreadOf } from '../results/statistics.ts'
import { issueCertificates } from '../seed/seed-domains.ts'
import { createPage } from '../seed/seed-site.ts'
import type { TlsServer } from '../servers/server.ts'
import { startSiteWithDomains } from '../servers/site-server.ts'

const certificates = 10_000
/** Hosts that are requested one after the other, and timed. The others are requested ten at once. */
const timedHosts = 500
const concurrency = 10
const maxMegabytes = 400

export async function runCertificates(context: BenchContext): Promise<Row[]> {
  const { cores, options, log } = context
  log(`certificates: issuing ${certificates.toLocaleString('en')}`)
  const names = Array.from({ length: certificates }, (_, n) => `docs-${n}.bench.example`)
  // As from a public authority, each chain includes an authority's certificate.
  const hosts = await issueCertificates(names, { withRoot: true })
  const rows: Row[] = []
  for (const engine of options.engines) {
    const server = await startSiteWithDomains({
      ...createServerPlace(context, cores.server),
      command: options.command,
      databaseUrl: createDatabaseFor(context, engine, 'certificates'),
      text: createPage(10_000),
      hosts,
      directory: 'https://acme.bench.example/directory',
    })
    try {
      log(`certificates: requesting each host, on ${engine}`)
      rows.push(...(await measureServer(server)))
    } finally {
      await server.stop()
    }
  }
  return rows
}

async function measureServer(server: TlsServer): Promise<Row[]> {
  const { engine, hosts, pid, restingBytes } = server
  const [first = '', ...rest] = hosts
  await requestHosts(server, Array(timedHosts * 4).fill(first), 1)
  const cold = await requestHosts(server, rest.slice(0, timedHosts), 1)
  const warm = await requestHosts(server, rest.slice(0, timedHosts), 1)
  const others = await requestHosts(server, rest.slice(timedHosts), concurrency)
  const usedBytes = readTreeUsage(pid).residentBytes
  // These hosts have been requested once: shows whether their certificates are still loaded.
  const again = await requestHosts(server, rest.slice(timedHosts, 2 * timedHosts), 1)
  const errors = [cold, warm, others, again].reduce((sum, each) => sum + each.errors, 0)
  const common = { engine, errors, limitedBy: [] as Row['limitedBy'] }
  const createTimeRow = (job: string, { firstByteMs }: Requests): Row => ({
    ...common,
    job,
    unit: 'ms',
    result: spreadOf(firstByteMs),
    p50Us: percentileOf(firstByteMs, 0.5) * 1000,
    p99Us: percentileOf(firstByteMs, 0.99) * 1000,
  })
  return [
    {
      ...common,
      job: `memory, ${certificates.toLocaleString('en')} certificates in use`,
      unit: 'MB',
      result: spreadOf([usedBytes / 1e6]),
      peer: 'before the first request',
      peerResult: spreadOf([restingBytes / 1e6]),
      target: { max: maxMegabytes },
    },
    createTimeRow('first byte, first request at the host', cold),
    createTimeRow('first byte, certificate loaded', warm),
    createTimeRow('first byte, all certificates loaded', again),
  ]
}

interface Requests {
  /** In ascending order. */
  firstByteMs: number[]
  errors: number
}

/** Requests each host once, `parallel` at a time. */
async function requestHosts(
  { httpsPort, path }: TlsServer,
  hosts: string[],
  parallel: number,
): Promise<Requests> {
  const requests: Requests = { firstByteMs: [], errors: 0 }
  let next = 0
  const work = async (): Promise<void> => {
    for (let host = hosts[next++]; host !== undefined; host = hosts[next++]) {
      try {
        const { firstByteMs, status } = await sendHttpsRequest(httpsPort, host, path)
        requests.firstByteMs.push(firstByteMs)
        if (status !== 200) requests.errors++
      } catch {
        requests.errors++
      }
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  requests.firstByteMs.sort((a, b) => a - b)
  return requests
}
