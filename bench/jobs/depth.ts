// Section depth: page 10,000 of a million animals, 100 per page, reached by following `next`, compared with page 1.
// Measured with one page repeated, and with 4,000 pages in turn, which is more than a cache of pages is likely to
// hold, so that the database has to find each of them.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchContext, createDatabaseFor, createServerPlace } from '../harness/context.ts'
import { findNextPage, sendRequest } from '../harness/http-client.ts'
import { runRounds } from '../load/rounds.ts'
import { type Load, runWrk } from '../load/run-wrk.ts'
import { compareRounds, type Row } from '../results/compare-rounds.ts'
import type { Pet } from '../seed/seed-animals.ts'
import { animalStore, type Server } from '../servers/server.ts'
import { startStore } from '../servers/store-server.ts'

const animals = 1_000_000
const limit = 100
const pagesInTurn = 4_000
const connections = 64
// A deep page takes at most 1.2 times as long as page 1.
const target = { minRatio: 0.83 }

export async function runDepth(context: BenchContext): Promise<Row[]> {
  const { options, cores, log } = context
  const rows: Row[] = []
  for (const engine of options.engines) {
    log(`depth: ${animals.toLocaleString('en')} animals on ${engine}`)
    const server = await startStore({
      ...createServerPlace(context, cores.server),
      label: animalStore,
      command: options.command,
      animals,
      databaseUrl: createDatabaseFor(context, engine, 'depth'),
    })
    try {
      rows.push(...(await compareDepths(context, server)))
    } finally {
      await server.stop()
    }
  }
  return rows
}

async function compareDepths(
  { options, cores, folder, log }: BenchContext,
  server: Server,
): Promise<Row[]> {
  log('depth: following the pages to the last one')
  const pages = await followPages(server)
  const last = pages.length
  const loads: Load[] = [
    { kind: 'fixed', path: pages[last - 1] ?? '' },
    { kind: 'fixed', path: pages[0] ?? '' },
    writePaths(join(folder, `deep-${server.port}.txt`), pages.slice(last - pagesInTurn)),
    writePaths(join(folder, `shallow-${server.port}.txt`), pages.slice(0, pagesInTurn)),
  ]
  const contestants = loads.map((load) => ({
    run: (round: number, seconds: number) =>
      runWrk(server, load, { connections, seconds, round, cores: cores.generator }),
  }))
  log(`depth: ${options.rounds} rounds`)
  const [deep = [], first = [], deepPages = [], firstPages = []] = await runRounds(
    contestants,
    options,
  )
  const { engine } = server
  const format = (value: number) => value.toLocaleString('en')
  return [
    compareRounds({
      job: `page ${format(last)}, limit=${limit}`,
      engine,
      samples: deep,
      peer: 'page 1',
      peerSamples: first,
      target,
    }),
    compareRounds({
      job: `pages ${format(last - pagesInTurn + 1)}–${format(last)} in turn`,
      engine,
      samples: deepPages,
      peer: `pages 1–${format(pagesInTurn)}`,
      peerSamples: firstPages,
      target,
    }),
  ]
}

/** Returns the paths of all pages. Throws an Error unless they contain every animal once, in order. */
async function followPages(server: Server): Promise<string[]> {
  const pages: string[] = []
  let expected = 1
  for (let path: string | undefined = `/v1/pets?limit=${limit}`; path !== undefined; ) {
    const response = await sendRequest(server, path)
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${response.body}`)
    pages.push(path)
    const pets: Pet[] = JSON.parse(response.body)
    for (const { id } of pets) {
      if (id !== expected) throw new Error(`${path}: animal ${id} instead of ${expected}`)
      expected++
    }
    path = findNextPage(response.header('Link'))
  }
  // The last page may be empty, because a full page does not always know that it is the last.
  if (expected !== animals + 1)
    throw new Error(`the pages contain ${expected - 1} of ${animals} animals`)
  return pages.slice(0, animals / limit)
}

function writePaths(file: string, paths: string[]): Load {
  writeFileSync(file, `${paths.join('\n')}\n`)
  return { kind: 'paths', file }
}
