// Section sites: hot pages of a published site, compared with raw node:http with the same bytes and headers, and with
// nginx with the same files in a folder. No Accept-Encoding is sent, so that all servers send the same bytes.

import { isDeepStrictEqual } from 'node:util'
import { type BenchContext, createDatabaseFor, createServerPlace } from '../harness/context.ts'
import { type HttpResponse, headerNames, sendRequest } from '../harness/http-client.ts'
import { runRounds } from '../load/rounds.ts'
import { runWrk } from '../load/run-wrk.ts'
import { compareRounds, type Row, summarizeRow } from '../results/compare-rounds.ts'
import { createPage } from '../seed/seed-site.ts'
import { startRawNode } from '../servers/fixed-servers.ts'
import { startNginxFiles } from '../servers/nginx-server.ts'
import { animalStore, type Server } from '../servers/server.ts'
import { startSite } from '../servers/site-server.ts'
import { type ComparisonJob, runComparison } from './comparison.ts'

const connections = 64
const targets = { nginx: { minRatio: 0.9 } }
/** Views are counted where a browser asks: that costs next to nothing. */
const minCountedRatio = 0.97
/** It came from another page, which is counted, too. */
const browser = {
  Referer: 'https://www.example.org/articles/documentation?page=2',
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}

interface Page {
  name: string
  file: string
  /** The page's path on each server, by the server's label. */
  paths: Record<string, string>
  text: string
}

const pages: Page[] = [
  {
    name: '10 KB',
    file: 'guide.html',
    paths: { [animalStore]: '/guide', nginx: '/guide.html', 'raw node:http': '/v1/pets' },
    text: createPage(10_000),
  },
  {
    name: '1 KB',
    file: 'note.html',
    paths: { [animalStore]: '/note', nginx: '/note.html', 'raw node:http': '/v1/pets/1' },
    text: createPage(1_000),
  },
]

export async function runSites(context: BenchContext): Promise<Row[]> {
  const { options, log } = context
  const createPlace = () => createServerPlace(context)
  const files = Object.fromEntries(pages.map(({ file, text }) => [file, text]))
  const servers: Server[] = []
  try {
    const stores: Server[] = []
    for (const engine of options.engines) {
      log(`sites: starting the Animal Store on ${engine}`)
      const databaseUrl = await createDatabaseFor(context, engine, 'sites')
      stores.push(
        await startSite({ ...createPlace(), command: options.command, files, databaseUrl }),
      )
    }
    servers.push(...stores)
    const [first] = stores
    if (!first) throw new Error('no engine was selected')
    const recorded = await Promise.all(pages.map((page) => sendRequest(first, pathOf(page, first))))
    const [list, pet] = recorded as [HttpResponse, HttpResponse]
    const peers: Server[] = []
    if (options.peers.includes('raw')) {
      peers.push(await startRawNode(createPlace(), { list, pet, created: pet }))
    }
    if (options.peers.includes('nginx')) peers.push(await startNginxFiles(createPlace(), files))
    servers.push(...peers)
    const rows: Row[] = []
    for (const [i, page] of pages.entries()) {
      const job = createJob(page, recorded[i] as HttpResponse)
      rows.push(...(await runComparison(job, servers, context)))
    }
    for (const store of stores) rows.push(await compareCounted(store, context))
    return rows
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

/** The same server and page, for a browser, whose views are counted, and for a program. */
async function compareCounted(store: Server, { cores, log, options }: BenchContext): Promise<Row> {
  const headers = { ...store.headers, ...browser }
  // As long, so that both heads take the same time to read.
  const program = 'program'.padEnd(browser['User-Agent'].length, '.')
  const path = pathOf(pages[1] as Page, store)
  const contestants = [browser['User-Agent'], program].map(
    (name) => (round: number, seconds: number) =>
      runWrk(
        { ...store, headers: { ...headers, 'User-Agent': name } },
        { kind: 'fixed', path },
        { connections, seconds, round, cores: cores.generator },
      ),
  )
  const [samples = [], peerSamples = []] = await runRounds(contestants, options)
  const row = compareRounds({
    ...{ job: 'site page of 1 KB, counted', engine: store.engine, samples },
    ...{ peer: 'not counted', peerSamples, target: { minRatio: minCountedRatio } },
  })
  log(summarizeRow(row))
  return row
}

function createJob(page: Page, recorded: HttpResponse): ComparisonJob {
  return {
    name: `site page of ${page.name}`,
    connections,
    prepare: async (server) => ({ kind: 'fixed', path: pathOf(page, server) }),
    check: (server) => check(server, page, recorded),
    targets,
  }
}

async function check(server: Server, page: Page, recorded: HttpResponse): Promise<void> {
  const response = await sendRequest(server, pathOf(page, server))
  const createError = (problem: string): Error =>
    new Error(`${server.label}: ${problem}: ${response.status}`)
  if (response.status !== 200) throw createError('no page')
  if (response.body !== page.text) throw createError('unexpected bytes')
  if (!response.header('Content-Type')?.startsWith('text/html')) throw createError('not HTML')
  if (server.label === 'nginx') return
  if (!isDeepStrictEqual(headerNames(response), headerNames(recorded))) {
    throw createError('unexpected headers')
  }
}

function pathOf({ paths }: Page, { label }: Server): string {
  return paths[label] as string
}
