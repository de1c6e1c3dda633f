// Section distance: the Animal Store with a millisecond to PostgreSQL, compared with none. A proxy delays what the
// database answers, so that each round trip takes a millisecond longer.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchContext, createDatabaseFor, createServerPlace } from '../harness/context.ts'
import { pinToCores } from '../harness/cores.ts'
import { findFreePort } from '../harness/http-client.ts'
import { type RunningProcess, startProcess } from '../harness/processes.ts'
import type { Load } from '../load/run-wrk.ts'
import type { Row } from '../results/compare-rounds.ts'
import { animalStore, type Server } from '../servers/server.ts'
import { startStore } from '../servers/store-server.ts'
import { comparePair, type PairJob } from './compare-pair.ts'
import { createBodies } from './store.ts'

const animals = 10_000
const delayMs = 1

export async function runDistance(context: BenchContext): Promise<Row[]> {
  const { cores, log, options, postgres } = context
  if (!postgres) return []
  const start = (databaseUrl: string | undefined): Promise<Server> =>
    startStore({
      ...createServerPlace(context, cores.server),
      label: animalStore,
      command: options.command,
      animals,
      databaseUrl,
    })
  log('distance: starting a server with a millisecond to PostgreSQL, and one without')
  const proxy = await startDelayingProxy(context, postgres.url)
  const far = createDatabaseFor(context, 'postgresql', 'far') as string
  const servers = [
    await start(far.replace(postgres.url, proxy.url)),
    await start(createDatabaseFor(context, 'postgresql', 'near')),
  ] as const
  try {
    return await comparePair({
      context,
      engine: 'PostgreSQL',
      servers,
      peer: 'no distance',
      jobs: createJobs(context),
    })
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
    await proxy.stop()
  }
}

function createJobs({ folder }: BenchContext): PairJob[] {
  const writeLines = (name: string, lines: string[]): string => {
    const path = join(folder, `distance-${name}.txt`)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }
  const created = writeLines('create', createBodies(5_000))
  const mixed = writeLines('mix', createBodies(5_000, 'available'))
  const scattered = writeLines(
    'get',
    Array.from({ length: animals }, (_, n) => `/v1/pets/${((n * 7919) % animals) + 1}`),
  )
  const create = ({ api }: Server): Load => ({
    kind: 'bodies',
    path: api.createPath ?? '',
    file: created,
  })
  const mix = (): Load => ({ kind: 'mix', file: mixed, identifiers: 'follow' })
  return [
    { name: '1 ms: get by id', connections: 64, load: () => ({ kind: 'paths', file: scattered }) },
    { name: '1 ms: create, 1 connection', connections: 1, load: create },
    { name: '1 ms: create, 32 connections', connections: 32, load: create },
    { name: '1 ms: mix, 1 connection', connections: 1, load: mix },
    { name: '1 ms: mix, 48 connections', connections: 48, minRatio: 0.7, load: mix },
  ]
}

async function startDelayingProxy(
  { cores, folder }: BenchContext,
  databaseUrl: string,
): Promise<RunningProcess & { url: string }> {
  const url = new URL(databaseUrl)
  const port = await findFreePort()
  const file = join(import.meta.dirname, '../harness/delaying-proxy.ts')
  const started = startProcess({
    command: pinToCores(cores.database, [
      process.execPath,
      file,
      `${port}`,
      url.port,
      `${delayMs}`,
    ]),
    logFile: join(folder, 'delaying-proxy.log'),
  })
  url.port = `${port}`
  return { ...started, url: url.href.replace(/\/$/, '') }
}
