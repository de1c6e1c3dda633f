// Hot pages of a published site: against raw node:http with the same bytes and headers, and against
// nginx with the same files in a folder. No Accept-Encoding is sent, so that all send the same bytes.

import { isDeepStrictEqual } from 'node:util'
import { newPlace, type Surroundings } from '../fleet.ts'
import { type Answer, ask } from '../http-client.ts'
import type { Row } from '../results.ts'
import { startNginxFiles } from '../servers/nginx-server.ts'
import { startRawNode } from '../servers/raw-node-server.ts'
import type { Server } from '../servers/server.ts'
import { startSite } from '../servers/site-server.ts'
import { pageOf } from '../site-page.ts'
import { type FleetJob, runFleetJob } from './fleet-job.ts'

const connections = 64
const target = { least: 0.75 }

interface Page {
  name: string
  file: string
  /** How each server is asked for it. */
  paths: Record<string, string>
  text: string
}

const pages: Page[] = [
  {
    name: '10 KB',
    file: 'guide.html',
    paths: { ours: '/guide', nginx: '/guide.html', 'raw node:http': '/v1/pets' },
    text: pageOf(10_000),
  },
  {
    name: '1 KB',
    file: 'note.html',
    paths: { ours: '/note', nginx: '/note.html', 'raw node:http': '/v1/pets/1' },
    text: pageOf(1_000),
  },
]

export async function runSites(surroundings: Surroundings): Promise<Row[]> {
  const { cores, options, postgres, say } = surroundings
  const place = () => newPlace(surroundings, cores.server)
  const files = Object.fromEntries(pages.map(({ file, text }) => [file, text]))
  const servers: Server[] = []
  try {
    const ours: Server[] = []
    for (const engine of options.engines) {
      say(`sites: starting ours on ${engine}`)
      const databaseUrl = engine === 'postgresql' ? postgres?.createDatabase('sites') : undefined
      ours.push(await startSite({ ...place(), command: options.ours, files, databaseUrl }))
    }
    servers.push(...ours)
    const [first] = ours
    if (!first) throw new Error('no engine was chosen')
    const captured = await Promise.all(pages.map((page) => ask(first, pathOf(page, first))))
    const [list, pet] = captured as [Answer, Answer]
    const peers: Server[] = []
    if (options.peers.includes('raw')) {
      peers.push(await startRawNode(place(), { list, pet, created: pet }))
    }
    if (options.peers.includes('nginx')) peers.push(await startNginxFiles(place(), files))
    servers.push(...peers)
    const rows: Row[] = []
    for (const [i, page] of pages.entries()) {
      const job = jobOf(page, captured[i] as Answer)
      rows.push(...(await runFleetJob(job, { ours, peers }, surroundings)))
    }
    return rows
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

function jobOf(page: Page, captured: Answer): FleetJob {
  return {
    name: `site page of ${page.name}`,
    connections,
    prepare: async (server) => ({ kind: 'fixed', path: pathOf(page, server) }),
    check: (server) => check(server, page, captured),
    targets: { raw: target },
  }
}

async function check(server: Server, page: Page, captured: Answer): Promise<void> {
  const answer = await ask(server, pathOf(page, server))
  const fault = (what: string): Error => new Error(`${server.label}: ${what}: ${answer.status}`)
  if (answer.status !== 200) throw fault('no page')
  if (answer.body !== page.text) throw fault('other bytes')
  if (!answer.header('Content-Type')?.startsWith('text/html')) throw fault('not HTML')
  if (server.label === 'nginx') return
  if (!isDeepStrictEqual(headerNames(answer), headerNames(captured))) throw fault('other headers')
}

function headerNames({ rawHeaders }: Answer): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 0).toSorted()
}

function pathOf({ paths }: Page, { label }: Server): string {
  return paths[label] as string
}
