// Section tls: HTTPS at a custom domain compared with nginx, with the same certificate and page on
// the same core. Measures handshakes per processor time, and pages over open connections.

import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { type BenchContext, createServerPlace } from '../harness/context.ts'
import { alternate, warmUp } from '../load/rounds.ts'
import { runH2load } from '../load/run-h2load.ts'
import { type HandshakeKind, runHandshakes } from '../load/run-handshakes.ts'
import { runWrk } from '../load/run-wrk.ts'
import { compareRounds, type Row, summarizeRow, type Target } from '../results/compare-rounds.ts'
import type { Sample } from '../results/sample.ts'
import { issueCertificates } from '../seed/seed-domains.ts'
import { createPage } from '../seed/seed-site.ts'
import { startNginxTls, type TlsPage } from '../servers/nginx-server.ts'
import type { TlsServer } from '../servers/server.ts'
import { startSiteWithDomains } from '../servers/site-server.ts'

const connections = 64
const warmUpHandshakes = 3000
const warmUpRequests = 50_000
const http2 = { connections: 16, streams: 8 }

interface TlsJob {
  name: string
  unit: Row['unit']
  /** The least number of requests that are not counted. */
  warmUpRequests: number
  /** By the label of the peer. */
  targets: Partial<Record<string, Target>>
  run(server: TlsServer, round: number): Promise<Sample>
}

export async function runTls(context: BenchContext): Promise<Row[]> {
  const { options, log } = context
  const [certificate] = await issueCertificates(['docs.bench.example'])
  if (!certificate) throw new Error('no certificate')
  const page: TlsPage = { ...certificate, text: createPage(10_000) }
  const servers: TlsServer[] = []
  try {
    servers.push(
      await startSiteWithDomains({
        ...createServerPlace(context),
        ...{ command: options.command, text: page.text, hosts: [certificate] },
        // Any URL except `internal`, so that the certificate counts as one that browsers trust.
        directory: 'https://acme.bench.example/directory',
      }),
    )
    if (options.peers.includes('nginx')) {
      servers.push(await startNginxTls(createServerPlace(context), page))
    }
    const rows: Row[] = []
    for (const job of createJobs(context)) {
      log(`tls: ${job.name}, ${options.rounds} rounds of ${options.seconds} s`)
      for (const server of servers) {
        await checkPage(server, page)
        await warmUp(job.warmUpRequests, () => job.run(server, 0))
      }
      const runs = servers.map((server) => (round: number) => job.run(server, round))
      const [samples = [], ...otherSamples] = await alternate(runs, options.rounds)
      for (const server of servers) await checkPage(server, page)
      for (const [index, peerSamples] of otherSamples.entries()) {
        const { label: peer = '' } = servers[index + 1] ?? {}
        const { name, targets, unit } = job
        const sides = { samples, peer, peerSamples, target: targets[peer] }
        const row = compareRounds({ job: name, engine: 'SQLite', unit, ...sides })
        log(`tls: ${summarizeRow(row)}`)
        rows.push(row)
      }
    }
    return rows
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

function createJobs({ cores, folder, options: { seconds } }: BenchContext): TlsJob[] {
  const generator = cores.generator
  const createHandshakeJob = (name: string, kind: HandshakeKind, minRatio: number): TlsJob => ({
    name,
    unit: '/cpu s',
    warmUpRequests: warmUpHandshakes,
    targets: { nginx: { minRatio } },
    run: (server) => runHandshakes(server, kind, { seconds, cores: generator }),
  })
  const runOverHttp1 = (server: TlsServer, round: number) =>
    runWrk(
      { ...server, headers: {}, origin: `https://${server.hosts[0]}:${server.httpsPort}` },
      { kind: 'fixed', path: server.path },
      { connections, seconds, round, cores: generator },
    )
  const runOverHttp2 = (server: TlsServer) =>
    runH2load(server, { ...http2, seconds, cores: generator, folder })
  return [
    createHandshakeJob('full handshakes, TLS 1.3', { version: 'TLSv1.3', isResumed: false }, 0.7),
    createHandshakeJob('full handshakes, TLS 1.2', { version: 'TLSv1.2', isResumed: false }, 0.7),
    createHandshakeJob('resumed handshakes, TLS 1.3', { version: 'TLSv1.3', isResumed: true }, 0.9),
    {
      name: 'page of 10 KB, TLS, HTTP/1.1',
      unit: 'req/s',
      warmUpRequests,
      targets: { nginx: { minRatio: 0.8 } },
      run: runOverHttp1,
    },
    {
      name: 'page of 10 KB, TLS, HTTP/2',
      unit: 'req/s',
      warmUpRequests,
      targets: { nginx: { minRatio: 0.5 } },
      run: runOverHttp2,
    },
  ]
}

/** On a new connection, with any certificate: it is compared. */
async function checkPage(server: TlsServer, { chain, host, text }: TlsPage): Promise<void> {
  const { httpsPort: port, label, path } = server
  const options = { port, path, servername: host, headers: { host }, rejectUnauthorized: false }
  const sent = request({ host: '127.0.0.1', ...options, agent: false, timeout: 30_000 }).end()
  sent.on('timeout', () => sent.destroy(new Error(`${host}: no response in time`)))
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (!response) throw new Error(`${label}: no response`)
  const { raw } = (response.socket as TLSSocket).getPeerCertificate()
  const body = (await response.toArray()).join('')
  const createError = (problem: string): Error =>
    new Error(`${label}: ${problem}: ${response.statusCode}`)
  if (response.statusCode !== 200) throw createError('no page')
  if (body !== text) throw createError('unexpected bytes')
  if (!response.headers['content-type']?.startsWith('text/html')) throw createError('not HTML')
  if (!raw.equals(new X509Certificate(chain).raw)) throw createError('unexpected certificate')
}
