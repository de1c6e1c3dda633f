// Ten thousand certificates in use in one process: the memory that they take, and how long the first byte takes
// at a host that nobody has asked for yet, and at one whose certificate is ready.

import {
  createInternalRoot,
  issueInternally,
} from '../../server/publishing/acme/x509/internal-issuer.ts'
import { newPlace, type Surroundings } from '../fleet.ts'
import { readTreeUse } from '../processes.ts'
import type { Row } from '../results.ts'
import { askSecurely } from '../secure-client.ts'
import type { SeededHost } from '../seed-domains.ts'
import { startEdge } from '../servers/edge-server.ts'
import type { TlsServer } from '../servers/tls-server.ts'
import { pageOf } from '../site-page.ts'
import { percentile, spreadOf } from '../statistics.ts'

const certificates = 10_000
/** Asked one by one, and timed; the rest ten at once. */
const timed = 500
const atOnce = 10
const maxMegabytes = 500

export async function runCertificates(surroundings: Surroundings): Promise<Row[]> {
  const { cores, options, postgres, say } = surroundings
  say(`certificates: making ${certificates.toLocaleString('en')}`)
  const root = await createInternalRoot('Bench root', Date.now())
  const hosts: SeededHost[] = []
  for (let n = 0; n < certificates; n++) {
    const host = `docs-${n}.bench.example`
    const made = await issueInternally(root, [host], { days: 30, now: Date.now() })
    // What an authority gives comes with the certificate of its own.
    hosts.push({ host, key: made.key, chain: made.chain + root.chain })
  }
  const rows: Row[] = []
  for (const engine of options.engines) {
    const databaseUrl =
      engine === 'postgresql' ? postgres?.createDatabase('certificates') : undefined
    const server = await startEdge({
      ...newPlace(surroundings, cores.server),
      command: options.ours,
      databaseUrl,
      text: pageOf(10_000),
      hosts,
      directory: 'https://acme.bench.example/directory',
    })
    try {
      say(`certificates: each is asked for, on ${engine}`)
      rows.push(...(await measure(server)))
    } finally {
      await server.stop()
    }
  }
  return rows
}

async function measure(server: TlsServer): Promise<Row[]> {
  const { engine, hosts, pid, restBytes } = server
  const [first = '', ...rest] = hosts
  await askMany(server, Array(timed * 4).fill(first), 1)
  const cold = await askMany(server, rest.slice(0, timed), 1)
  const warm = await askMany(server, rest.slice(0, timed), 1)
  const others = await askMany(server, rest.slice(timed), atOnce)
  const used = readTreeUse(pid).residentBytes
  // All of them are there, and ready: the last is no slower than those that were asked for twice.
  const again = await askMany(server, rest.slice(timed, 2 * timed), 1)
  const errors = [cold, warm, others, again].reduce((sum, each) => sum + each.errors, 0)
  const common = { engine, errors, limitedBy: [] as Row['limitedBy'] }
  const times = (job: string, { firstByteMs }: Asked): Row => ({
    ...common,
    job,
    unit: 'ms',
    ours: spreadOf(firstByteMs),
    p50Us: percentile(firstByteMs, 0.5) * 1000,
    p99Us: percentile(firstByteMs, 0.99) * 1000,
  })
  return [
    {
      ...common,
      job: `memory, ${certificates.toLocaleString('en')} certificates in use`,
      unit: 'MB',
      ours: spreadOf([used / 1e6]),
      peer: 'before the first',
      theirs: spreadOf([restBytes / 1e6]),
      target: { most: maxMegabytes },
    },
    times('first byte, certificate asked for first', cold),
    times('first byte, certificate is ready', warm),
    times('first byte, ready among all', again),
  ]
}

interface Asked {
  /** In ascending order. */
  firstByteMs: number[]
  errors: number
}

async function askMany(
  { httpsPort, path }: TlsServer,
  hosts: string[],
  side: number,
): Promise<Asked> {
  const asked: Asked = { firstByteMs: [], errors: 0 }
  let next = 0
  const work = async (): Promise<void> => {
    for (let host = hosts[next++]; host !== undefined; host = hosts[next++]) {
      try {
        const { firstByteMs, status } = await askSecurely(httpsPort, host, path)
        asked.firstByteMs.push(firstByteMs)
        if (status !== 200) asked.errors++
      } catch {
        asked.errors++
      }
    }
  }
  await Promise.all(Array.from({ length: side }, work))
  asked.firstByteMs.sort((a, b) => a - b)
  return asked
}
