// Section floods: how long a client waits whose neighbour floods the server, compared with a quiet server, and with the
// least server on Node: which share of its quiet rate it keeps under the same flood. Requests are sent one after the
// other, so that a third of the rate is three times the wait. The notes have the server's memory and processor time,
// compared with quiet.

import { join } from 'node:path'
import { freePort } from '../../test/lab/free-addresses.ts'
import { type BenchContext, createDatabaseFor, createServerPlace } from '../harness/context.ts'
import { pinToCores } from '../harness/cores.ts'
import { sendRequest } from '../harness/http-client.ts'
import { readTreeUsage, startProcess } from '../harness/processes.ts'
import { alternate } from '../load/rounds.ts'
import { compareRounds, isTargetMet, type Row } from '../results/compare-rounds.ts'
import type { Sample } from '../results/sample.ts'
import { medianOf } from '../results/statistics.ts'
import { issueCertificates, type SeededHost } from '../seed/seed-domains.ts'
import { createPage } from '../seed/seed-site.ts'
import type { TlsServer } from '../servers/server.ts'
import { startSiteWithDomains } from '../servers/site-server.ts'
import { startPeer } from '../servers/start-server.ts'

const floods = ['closing', 'connections', 'fields', 'hosts', 'zero windows', 'window updates']
const largePath = '/large'
const largeBytes = 4_000_000
/** At most three times the wait. */
const target = { minRatio: 1 / 3 }
/** Where that is not met: no less than Node itself keeps. */
const nodeTarget = { minRatio: 0.9 }

interface Round extends Sample {
  residentBytes: number
}

export async function runFloods(context: BenchContext): Promise<Row[]> {
  const { notes, options, log } = context
  const hosts = await issueCertificates(['docs.bench.example'])
  const rows: Row[] = []
  for (const engine of options.engines) {
    for (const flood of floods) {
      log(`floods: ${flood} on ${engine}`)
      const server = await startSiteWithDomains({
        ...createServerPlace(context),
        command: options.command,
        databaseUrl: await createDatabaseFor(context, engine, `floods_${flood.replace(' ', '_')}`),
        text: createPage(1000),
        files: { 'large.html': createPage(largeBytes) },
        hosts,
        fillers: 0,
        directory: 'internal',
      })
      let node: TlsServer | undefined
      try {
        node = await startFloodedNode(context, server, hosts[0] as SeededHost)
        const sides = [server, node].flatMap((each) => [
          () => measure(each, options.seconds),
          () => measureDuring(context, flood, each),
        ])
        for (const each of [server, node]) await measure(each, options.seconds)
        const [quiet = [], flooded = [], quietNode = [], floodedNode = []] = await alternate(
          sides,
          options.rounds,
        )
        const job = `wait during a flood of ${flood}`
        const row = compareRounds({
          ...{ job, engine: server.engine, target },
          ...{ samples: flooded, peer: 'quiet', peerSamples: quiet },
        })
        const comparedWithNode = compareRounds({
          ...{ job, engine: server.engine, target: isTargetMet(row) ? undefined : nodeTarget },
          ...{ samples: sharesOf(flooded, quiet), peer: 'flooded node:http', unit: '%' },
          peerSamples: sharesOf(floodedNode, quietNode),
        })
        rows.push(row, comparedWithNode)
        notes.push(describe(flood, quiet, flooded))
      } finally {
        await node?.stop()
        await server.stop()
      }
    }
  }
  return rows
}

/** Rates in percent of the quiet ones: a server that asks a database has another rate. */
const sharesOf = (flooded: Round[], quiet: Round[]): Round[] =>
  flooded.map((each, i) => ({
    ...each,
    perSecond: (100 * each.perSecond) / (quiet[i]?.perSecond ?? Number.NaN),
  }))

/** Takes the requests that the flooded server takes. */
async function startFloodedNode(
  context: BenchContext,
  { headers, hosts, path }: TlsServer,
  { chain, key }: SeededHost,
): Promise<TlsServer> {
  const httpsPort = await freePort()
  const settings = { chain, key, httpsPort, page: createPage(1000), largePath, largeBytes }
  const place = createServerPlace(context)
  const node = await startPeer(place, 'node:http', 'flooded-node.ts', settings)
  return { ...node, headers, httpsPort, hosts, path }
}

async function measureDuring(context: BenchContext, flood: string, server: TlsServer) {
  const { httpsPort, hosts, port } = server
  const script = join(import.meta.dirname, '../load/flood.ts')
  const flooder = startProcess({
    // Otherwise it would take the server's processor time, too.
    command: pinToCores(context.cores.generator, [
      ...[process.execPath, script, flood, `${port}`, `${httpsPort}`],
      ...[hosts[0] ?? '', largePath],
    ]),
    logFile: join(context.folder, 'flood.log'),
  })
  try {
    return await measure(server, context.options.seconds)
  } finally {
    await flooder.stop('SIGKILL')
  }
}

async function measure(server: TlsServer, seconds: number): Promise<Round> {
  const before = readTreeUsage(server.pid)
  const start = performance.now()
  const waits: number[] = []
  let errors = 0
  let residentBytes = 0
  while (performance.now() - start < seconds * 1000) {
    const sent = performance.now()
    const status = await sendRequest(server, server.path).then(
      (response) => response.status,
      () => 0,
    )
    waits.push((performance.now() - sent) * 1000)
    if (status !== 200) errors++
    if (waits.length % 100 === 1) {
      residentBytes = Math.max(residentBytes, readTreeUsage(server.pid).residentBytes)
    }
  }
  waits.sort((a, b) => a - b)
  const passed = (performance.now() - start) / 1000
  const at = (share: number): number => waits[Math.floor(share * (waits.length - 1))] ?? 0
  return {
    ...{ requests: waits.length, perSecond: waits.length / passed, seconds: passed, errors },
    ...{ p50Us: at(0.5), p99Us: at(0.99), residentBytes, generatorCpuSeconds: 0 },
    serverCpuSeconds: readTreeUsage(server.pid).cpuSeconds - before.cpuSeconds,
  }
}

function describe(flood: string, quiet: Round[], flooded: Round[]): string {
  const ratio = (value: (round: Round) => number): string =>
    (medianOf(flooded.map(value)) / medianOf(quiet.map(value))).toFixed(2)
  return (
    `flood of ${flood}, compared with quiet: memory ${ratio((round) => round.residentBytes)}, ` +
    `processor time ${ratio(({ seconds, serverCpuSeconds }) => serverCpuSeconds / seconds)}, ` +
    `wait p50 ${ratio(({ p50Us = 0 }) => p50Us)}, p99 ${ratio(({ p99Us = 0 }) => p99Us)}`
  )
}
