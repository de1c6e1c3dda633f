// Section stages: where the time of one request goes, at one connection, by V8's profiler and by counting. Other servers do
// not run meanwhile. The Animal Store runs from its sources, so that the profile names its files.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Postgres } from '../../test/postgres.ts'
import { type BenchContext, createDatabaseFor, createServerPlace } from '../harness/context.ts'
import { readTreeUsage } from '../harness/processes.ts'
import { type Inspect, openInspector, traceCalls } from '../load/inspect.ts'
import { type Load, runWrk } from '../load/run-wrk.ts'
import type { Row } from '../results/compare-rounds.ts'
import type { Sample } from '../results/sample.ts'
import {
  idle,
  type Profile,
  stageNames,
  timeByStage,
  unknown,
} from '../results/stages-of-profile.ts'
import { type RecordedResponses, startBareNode } from '../servers/fixed-servers.ts'
import type { Server } from '../servers/server.ts'
import { peerCommand } from '../servers/start-server.ts'
import { recordResponses } from '../servers/store-and-peers.ts'
import { startStore } from '../servers/store-server.ts'
import { checkCreate } from './check-responses.ts'
import { createBodies, scatteredId, writeLines } from './store.ts'

const [node, ...young] = [process.execPath, '--min-semi-space-size=4', '--max-semi-space-size=16']
const fromSources = [node, ...young, join(import.meta.dirname, '../../server/cli/main.ts')]
/** A third of them can be ordered, each once. */
const animals = 240_000
/** More than a round asks for. */
const cursors = 40_000

const warmUpSeconds = 3

const ofCalls = 'of them '

/** The rows below the stages. */
const figures = {
  time: 'time of a request, µs',
  cpu: 'processor time, µs',
  postgresCpu: 'that of PostgreSQL, µs',
  calls: 'system calls',
  bytes: 'bytes allocated',
  functions: 'functions',
  functionCalls: 'calls of functions',
  walFrames: 'WAL frames',
  walBytes: 'WAL bytes',
}

interface Job {
  name: string
  prepare?(server: Server): Promise<void>
  /** Requests that follow `sent` earlier ones. */
  load(server: Server, sent: number): Load | Promise<Load>
}

interface Allocation {
  selfSize: number
  children: Allocation[]
}

interface Coverage {
  url: string
  functions: { ranges: { count: number }[] }[]
}

/** A figure of a request by the name of its row. */
type Column = Map<string, number>

export async function runStages(context: BenchContext): Promise<Row[]> {
  // The inspector of each program gets a free port.
  process.env.NODE_OPTIONS = '--inspect-port=0'
  const columns = new Map<string, [heading: string, column: Column][]>()
  for await (const { databaseUrl, jobs, name, server } of startEach(context)) {
    const inspect = await openInspector(server)
    for (const job of jobs) {
      const heading = `${job.name}: ${name}`
      context.log(heading)
      const column = await measure(context, server, inspect, job, databaseUrl)
      columns.set(job.name, [...(columns.get(job.name) ?? []), [heading, column]])
    }
    await server.stop()
  }
  delete process.env.NODE_OPTIONS
  context.notes.push(formatColumns([...columns.values()].flat()))
  return []
}

async function* startEach(context: BenchContext) {
  const { engines, peers } = context.options
  const jobs = createJobs(context)
  const start = (label: string, command: string[], databaseUrl?: string) =>
    startStore({ ...createServerPlace(context), label, command, animals, databaseUrl })
  let recorded: RecordedResponses | undefined
  for (const engine of engines) {
    const databaseUrl = await createDatabaseFor(context, engine, 'stages')
    const server = await start('Animal Store', fromSources, databaseUrl)
    recorded = await recordResponses(server)
    yield { name: server.engine, server, jobs, databaseUrl }
  }
  if (peers.includes('express')) {
    const server = await start('Express', peerCommand('express-store.ts'))
    yield { name: 'Express', server, jobs }
  }
  if (peers.includes('bare') && recorded) {
    const server = await startBareNode(createServerPlace(context), recorded)
    yield { name: 'bare', server, jobs: jobs.slice(0, 1) }
  }
}

function createJobs(context: BenchContext): Job[] {
  const write = (server: Server, name: string, lines: string[]) => ({
    file: writeLines(context, server, name, lines),
  })
  const next = <T>(sent: number, line: (n: number) => T): T[] =>
    Array.from({ length: cursors }, (_, i) => line(sent + i + 1))
  let paths: string[] = []
  return [
    {
      name: 'create',
      load: (server) => ({
        kind: 'bodies',
        path: server.api.createPath ?? '',
        ...write(server, 'create', createBodies(5_000)),
      }),
    },
    {
      name: 'patch',
      load: (server, sent) => ({
        kind: 'patches',
        ...write(
          server,
          'patch',
          next(
            sent,
            (n) => `/v1/pets/${scatteredId(n, animals)} {"name":"Patched ${n}","categoryId":51}`,
          ),
        ),
      }),
    },
    {
      name: 'order',
      load: (server, sent) => ({
        kind: 'bodies',
        path: server.api.ordersPath ?? '',
        ...write(
          server,
          'order',
          next(sent, (n) => `{"petId":${3 * n}}`),
        ),
      }),
    },
    {
      name: 'cold list',
      async prepare(server) {
        paths = (await server.api.findColdPaths?.(server, cursors)) ?? []
      },
      async load(server, sent) {
        // No page that is remembered is current any more.
        await checkCreate(server)
        const at = sent % cursors
        const rotated = [...paths.slice(at), ...paths.slice(0, at)]
        return { kind: 'paths', ...write(server, 'cold', rotated) }
      },
    },
  ]
}

async function measure(
  { cores, folder, options, postgres }: BenchContext,
  server: Server,
  inspect: Inspect,
  job: Job,
  databaseUrl?: string,
): Promise<Column> {
  await job.prepare?.(server)
  let sent = 0
  const run = async (seconds = options.seconds): Promise<Sample> => {
    const load = await job.load(server, sent)
    const wrk = { connections: 1, seconds, round: 0, cores: cores.generator }
    const sample = await runWrk(server, load, wrk)
    if (sample.errors > 0) throw new Error(`${job.name}, ${server.label}: ${sample.errors} errors`)
    // One may have been sent whose response did not count.
    sent += sample.requests + 1
    return sample
  }
  const column: Column = new Map()
  await run(warmUpSeconds)

  const before = databaseUrl && (await readPostgres(postgres, databaseUrl))
  const plain = await run()
  column.set(figures.time, (plain.seconds * 1e6) / plain.requests)
  column.set(figures.cpu, (plain.serverCpuSeconds * 1e6) / plain.requests)
  if (before && databaseUrl) {
    const after = await readPostgres(postgres, databaseUrl)
    column.set(figures.postgresCpu, ((after.cpuSeconds - before.cpuSeconds) * 1e6) / plain.requests)
    column.set(figures.walBytes, (after.walBytes - before.walBytes) / plain.requests)
  }

  await inspect('Profiler.enable')
  await inspect('Profiler.setSamplingInterval', { interval: 100 })
  await inspect('Profiler.start')
  const profiled = await run()
  const { profile } = await inspect<{ profile: Profile }>('Profiler.stop')
  for (const [stage, us] of timeByStage(profile)) column.set(stage, us / profiled.requests)

  const collected = {
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  }
  await inspect('HeapProfiler.startSampling', { samplingInterval: 16_384, ...collected })
  const allocated = await run()
  const heap = await inspect<{ profile: { head: Allocation } }>('HeapProfiler.stopSampling')
  column.set(figures.bytes, sizeOf(heap.profile.head) / allocated.requests)

  const file = join(folder, 'calls.txt')
  const { lines, result: traced } = await traceCalls(server.pid, file, run)
  const frames = lines.filter((line) => /pwrite64\(\d+, ""\.\.\., 24,/.test(line)).length
  if (server.engine !== 'PostgreSQL') column.set(figures.walFrames, frames / traced.requests)
  const calls = lines.flatMap((line) => /^\d+ +(\w+)\(/.exec(line)?.[1] ?? [])
  column.set(figures.calls, calls.length / traced.requests)
  for (const [name, all] of Map.groupBy(calls, (call) => call)) {
    if (all.length > traced.requests / 2)
      column.set(`${ofCalls}${name}`, all.length / traced.requests)
  }

  // Last, because it keeps V8 from optimizing.
  await inspect('Profiler.startPreciseCoverage', { callCount: true })
  await inspect('Profiler.takePreciseCoverage')
  const counted = await run()
  const { result } = await inspect<{ result: Coverage[] }>('Profiler.takePreciseCoverage')
  await inspect('Profiler.stopPreciseCoverage')
  const counts = result.flatMap(({ functions, url }) =>
    url.startsWith('node:') ? [] : functions.map(({ ranges }) => ranges[0]?.count ?? 0),
  )
  column.set(figures.functions, counts.filter((count) => count > counted.requests / 2).length)
  column.set(
    figures.functionCalls,
    counts.reduce((sum, count) => sum + count, 0) / counted.requests,
  )
  return column
}

async function readPostgres(postgres: Postgres | undefined, databaseUrl: string) {
  const file = join(postgres?.dataDirectory ?? '', 'postmaster.pid')
  const { cpuSeconds } = readTreeUsage(Number(readFileSync(file, 'utf8').split('\n')[0]))
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const sql = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes"
  const { rows } = await client.query(sql)
  await client.end()
  return { cpuSeconds, walBytes: Number(rows[0].bytes) }
}

const sizeOf = ({ children, selfSize }: Allocation): number =>
  children.reduce((sum, child) => sum + sizeOf(child), selfSize)

function formatColumns(columns: [heading: string, column: Column][]): string {
  const all = [...new Set(columns.flatMap(([, column]) => [...column.keys()]))]
  const beginningWith = (text: string) => all.filter((name) => name.startsWith(text)).toSorted()
  const { bytes, calls, cpu, functionCalls, functions, postgresCpu, time, walBytes, walFrames } =
    figures
  const names = [
    ...[...stageNames, ...beginningWith(unknown), idle, time, cpu, postgresCpu, calls],
    ...[...beginningWith(ofCalls), walFrames, walBytes, bytes, functions, functionCalls],
  ]
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`
  const lines = names.map((name) =>
    line([name, ...columns.map(([, column]) => formatFigure(column.get(name)))]),
  )
  const headings = columns.map(([heading]) => heading)
  return [
    line(['µs of a request', ...headings]),
    line(['---', ...headings.fill('---:')]),
    ...lines,
  ].join('\n')
}

function formatFigure(value = 0): string {
  if (value < 0.05) return '–'
  return value < 9.95 ? value.toFixed(1) : Math.round(value).toLocaleString('en')
}
