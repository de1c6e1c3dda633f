// Page 10,000 of a million animals against page 1: a walk by `next`, 100 at a time, whose last
// page is the 10,000th. Once the same page again and again, once 4,000 pages in turn, more than a
// cache of ready pages is likely to hold, so that the database has to go there each time.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newPlace, type Surroundings } from '../fleet.ts'
import { ask, nextPage } from '../http-client.ts'
import { compareRounds, type Row } from '../results.ts'
import { runRounds } from '../rounds.ts'
import type { Pet, Server } from '../servers/server.ts'
import { startStore } from '../servers/store-server.ts'
import { type Load, runWrk } from '../wrk.ts'

const animals = 1_000_000
const limit = 100
const inTurn = 4_000
const connections = 64
// "within 1.2 of page 1": a deep page takes at most 1.2 times as long.
const target = { least: 0.83 }

export async function runDepth(surroundings: Surroundings): Promise<Row[]> {
  const { options, cores, postgres, say } = surroundings
  const rows: Row[] = []
  for (const engine of options.engines) {
    say(`depth: ${animals.toLocaleString('en')} animals on ${engine}`)
    const databaseUrl = engine === 'postgresql' ? postgres?.createDatabase('depth') : undefined
    const server = await startStore({
      ...newPlace(surroundings, cores.server),
      label: 'ours',
      command: options.ours,
      animals,
      databaseUrl,
    })
    try {
      rows.push(...(await compareDepths(surroundings, server)))
    } finally {
      await server.stop()
    }
  }
  return rows
}

async function compareDepths(
  { options, cores, folder, say }: Surroundings,
  server: Server,
): Promise<Row[]> {
  say('depth: walking to the last page')
  const pages = await walk(server)
  const last = pages.length
  const loads: Load[] = [
    { kind: 'fixed', path: pages[last - 1] ?? '' },
    { kind: 'fixed', path: pages[0] ?? '' },
    pathsLoad(join(folder, `deep-${server.port}.txt`), pages.slice(last - inTurn)),
    pathsLoad(join(folder, `shallow-${server.port}.txt`), pages.slice(0, inTurn)),
  ]
  const contestants = loads.map((load) => ({
    run: (round: number, seconds: number) =>
      runWrk(server, load, { connections, seconds, round, cores: cores.generator }),
  }))
  say(`depth: ${options.rounds} rounds`)
  const [deep = [], first = [], deepOnes = [], firstOnes = []] = await runRounds(
    contestants,
    options,
  )
  const { engine } = server
  const n = (value: number) => value.toLocaleString('en')
  return [
    compareRounds({
      job: `page ${n(last)}, limit=${limit}`,
      engine,
      ours: deep,
      peer: 'its page 1',
      theirs: first,
      target,
    }),
    compareRounds({
      job: `pages ${n(last - inTurn + 1)}–${n(last)} in turn`,
      engine,
      ours: deepOnes,
      peer: `its pages 1–${n(inTurn)}`,
      theirs: firstOnes,
      target,
    }),
  ]
}

/** The paths of all pages. Throws where the walk does not see every animal once, in order. */
async function walk(server: Server): Promise<string[]> {
  const pages: string[] = []
  let expected = 1
  for (let path: string | undefined = `/v1/pets?limit=${limit}`; path !== undefined; ) {
    const answer = await ask(server, path)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`)
    pages.push(path)
    const pets: Pet[] = JSON.parse(answer.body)
    for (const { id } of pets) {
      if (id !== expected) throw new Error(`${path}: animal ${id} where ${expected} was due`)
      expected++
    }
    path = nextPage(answer.header('Link'))
  }
  // A walk may end with an empty page where the last full one could not know that it is the last.
  if (expected !== animals + 1) throw new Error(`the walk saw ${expected - 1} of ${animals}`)
  return pages.slice(0, animals / limit)
}

function pathsLoad(file: string, paths: string[]): Load {
  writeFileSync(file, `${paths.join('\n')}\n`)
  return { kind: 'paths', file }
}
