// Section limits: the Animal Store with a rate limit that is never reached, compared with none.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchContext, createDatabaseFor, createServerPlace } from '../harness/context.ts'
import type { Row } from '../results/compare-rounds.ts'
import { animalStore, type Server } from '../servers/server.ts'
import { startStore } from '../servers/store-server.ts'
import { comparePair, type PairJob } from './compare-pair.ts'
import { createBodies } from './store.ts'

const animals = 10_000
const keys = 4
const connections = 48
/** A limit costs less than a tenth of the rate without. */
const minRatio = 0.9

export async function runLimits(context: BenchContext): Promise<Row[]> {
  const { cores, log, options } = context
  const rows: Row[] = []
  for (const engine of options.engines) {
    const start = (name: string, env: Record<string, string>): Promise<Server> =>
      startStore({
        ...createServerPlace(context, cores.server),
        label: animalStore,
        command: options.command,
        animals,
        keys,
        databaseUrl: createDatabaseFor(context, engine, name),
        env,
      })
    log(`limits: starting a server with a rate limit on ${engine}, and one without`)
    const limited = await start('limited', { RATE_LIMIT: '100000000/1h' })
    const servers = [limited, await start('unlimited', {})] as const
    try {
      const jobs = createJobs(context)
      rows.push(
        ...(await comparePair({
          context,
          engine: limited.engine,
          servers,
          peer: 'no limit',
          jobs,
        })),
      )
    } finally {
      await Promise.all(servers.map((server) => server.stop()))
    }
  }
  return rows
}

function createJobs({ folder }: BenchContext): PairJob[] {
  const file = join(folder, 'limits-create.txt')
  writeFileSync(file, `${createBodies(5_000).join('\n')}\n`)
  const create = ({ api }: Server) => ({
    kind: 'bodies' as const,
    path: api.createPath ?? '',
    file,
  })
  return [
    {
      name: 'limit: hot list',
      connections,
      minRatio,
      load: ({ api }) => ({ kind: 'fixed', path: api.listPath }),
    },
    { name: 'limit: create', connections, minRatio, load: create },
  ]
}
