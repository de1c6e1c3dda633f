// HTTPS at a custom domain against nginx, HAProxy and Caddy, with the same certificate and the same page on the
// same core: handshakes by the server's processor time, and pages over connections that stay open.

import { X509Certificate } from 'node:crypto'
import {
  createInternalRoot,
  issueInternally,
} from '../../server/publishing/acme/x509/internal-issuer.ts'
import { newPlace, type Surroundings } from '../fleet.ts'
import { runH2load } from '../h2load.ts'
import { type HandshakeKind, runHandshakes } from '../handshakes.ts'
import { compareRounds, type Row, sayRatio, type Target } from '../results.ts'
import { alternate } from '../rounds.ts'
import { askSecurely } from '../secure-client.ts'
import { startCaddy } from '../servers/caddy-server.ts'
import { startEdge } from '../servers/edge-server.ts'
import { startHaproxy } from '../servers/haproxy-server.ts'
import { startNginxTls } from '../servers/nginx-tls-server.ts'
import type { TlsPage, TlsServer } from '../servers/tls-server.ts'
import { settle } from '../settle.ts'
import { pageOf } from '../site-page.ts'
import { runWrk, type Sample } from '../wrk.ts'

const host = 'docs.bench.example'
const connections = 64
const warmHandshakes = 3000
const warmRequests = 50_000
const http2 = { connections: 16, streams: 8 }

interface TlsJob {
  name: string
  unit: Row['unit']
  /** Requests before any that counts. */
  warmUp: number
  targets: Partial<Record<string, Target>>
  run(server: TlsServer, round: number): Promise<Sample>
}

export async function runTls(surroundings: Surroundings): Promise<Row[]> {
  const { cores, options, say } = surroundings
  const root = await createInternalRoot('Bench root', Date.now())
  const made = await issueInternally(root, [host], { days: 30, now: Date.now() })
  const page: TlsPage = { ...made, host, text: pageOf(10_000) }
  const servers: TlsServer[] = []
  try {
    for (const start of startersOf(surroundings, page)) {
      const server = await start()
      servers.push(server)
      say(`tls: ${server.label} is there`)
    }
    const rows: Row[] = []
    for (const job of jobsOf(surroundings)) {
      say(`tls: ${job.name}, ${options.rounds} rounds of ${options.seconds} s`)
      for (const server of servers) {
        await check(server, page)
        await settle(job.warmUp, () => job.run(server, 0))
      }
      const runs = servers.map((server) => (round: number) => job.run(server, round))
      const [ours = [], ...theirs] = await alternate(runs, options.rounds)
      for (const server of servers) await check(server, page)
      for (const [index, samples] of theirs.entries()) {
        const { label: peer = '' } = servers[index + 1] ?? {}
        const { name, targets, unit } = job
        const target = targets[peer]
        const sides = { ours, peer, theirs: samples }
        const row = compareRounds({ job: name, engine: 'SQLite', unit, ...sides, target })
        say(`tls: ${sayRatio(row)}`)
        rows.push(row)
      }
    }
    return rows
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }

  function startersOf(_: Surroundings, served: TlsPage): (() => Promise<TlsServer>)[] {
    const place = () => newPlace(surroundings, cores.server)
    const { host: name, chain, key, text } = served
    const edge = {
      command: options.ours,
      text,
      hosts: [{ host: name, chain, key }],
      // Not our own, so that it counts as one that browsers know.
      directory: 'https://acme.bench.example/directory',
    }
    const peers = {
      nginx: () => startNginxTls(place(), served),
      haproxy: () => startHaproxy(place(), served),
      caddy: () => startCaddy(place(), served),
    }
    return [
      () => startEdge({ ...place(), ...edge }),
      ...(['nginx', 'haproxy', 'caddy'] as const)
        .filter((peer) => options.peers.includes(peer))
        .map((peer) => peers[peer]),
    ]
  }
}

function jobsOf({ cores, folder, options: { seconds } }: Surroundings): TlsJob[] {
  const generator = cores.generator
  const handshakes = (name: string, kind: HandshakeKind, least?: number): TlsJob => {
    return {
      name,
      unit: '/cpu s',
      warmUp: warmHandshakes,
      targets: least === undefined ? {} : { nginx: { least } },
      run: (server) => runHandshakes(server, kind, { seconds, cores: generator }),
    }
  }
  const overHttp1 = (server: TlsServer, round: number) =>
    runWrk(
      { ...server, headers: {}, origin: `https://${server.hosts[0]}:${server.httpsPort}` },
      { kind: 'fixed', path: server.path },
      { connections, seconds, round, cores: generator },
    )
  const overHttp2 = (server: TlsServer) =>
    runH2load(server, { ...http2, seconds, cores: generator, folder })
  return [
    handshakes('full handshakes, TLS 1.3', { version: 'TLSv1.3', isResumed: false }, 0.75),
    handshakes('full handshakes, TLS 1.2', { version: 'TLSv1.2', isResumed: false }, 0.75),
    handshakes('resumed handshakes, TLS 1.3', { version: 'TLSv1.3', isResumed: true }),
    {
      name: 'page of 10 KB, TLS, HTTP/1.1',
      unit: 'req/s',
      warmUp: warmRequests,
      targets: { nginx: { least: 0.6 }, Caddy: { least: 1 } },
      run: overHttp1,
    },
    {
      name: 'page of 10 KB, TLS, HTTP/2',
      unit: 'req/s',
      warmUp: warmRequests,
      targets: { nginx: { least: 0.4 }, Caddy: { least: 1 } },
      run: overHttp2,
    },
  ]
}

async function check(server: TlsServer, { chain, host: name, text }: TlsPage): Promise<void> {
  const answer = await askSecurely(server.httpsPort, name, server.path)
  const fault = (what: string): Error => new Error(`${server.label}: ${what}: ${answer.status}`)
  if (answer.status !== 200) throw fault('no page')
  if (answer.body !== text) throw fault('other bytes')
  if (!answer.type.startsWith('text/html')) throw fault('not HTML')
  if (answer.chain !== new X509Certificate(chain).toString()) throw fault('another certificate')
}
