// Section scale: one installation with ten million animals, 100,000 domains in 2,000 projects and 10,000 certificates,
// compared with one of a hundredth of that: start, memory, size on disk, and the rates of every kind of request.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { queryEach } from '../../test/query.ts'
import { type BenchContext, createDatabaseFor, createServerPlace } from '../harness/context.ts'
import type { EngineName } from '../harness/options.ts'
import { type Contestant, runRounds } from '../load/rounds.ts'
import { runHandshakes } from '../load/run-handshakes.ts'
import { type Load, runWrk } from '../load/run-wrk.ts'
import { compareRounds, compareValues, type Row, summarizeRow } from '../results/compare-rounds.ts'
import { issueCertificates, type SeededHost } from '../seed/seed-domains.ts'
import type { Server } from '../servers/server.ts'
import { type Installation, startInstallation } from '../servers/site-server.ts'
import { createBodies, scatteredId, writeLines } from './store.ts'

const scale = { animals: 10_000_000, domains: 100_000, certificates: 10_000 }
const [smallShare, quickShare] = [0.01, 0.1]
const readConnections = 64
const createConnections = 32
/** More records than are read in a round. */
const recordsInTurn = 500_000
/** At most; a fifth of the smaller installation's animals. */
const maxCursors = 20_000
/** Whatever the number of records, at most twice the time per request. */
const target = { minRatio: 0.5 }

interface Job {
  name: string
  unit?: Row['unit']
  contestant(place: Place): Promise<Contestant>
}

interface Place {
  installation: Installation
  animals: number
}

export async function runScale(context: BenchContext): Promise<Row[]> {
  const { notes, options, log } = context
  const share = options.isQuick ? quickShare : 1
  const large = times(scale, share)
  log(`scale: issuing ${large.certificates.toLocaleString('en')} certificates`)
  const names = Array.from({ length: large.certificates }, (_, n) => `docs-${n}.bench.example`)
  const hosts = await issueCertificates(names)
  const rows: Row[] = []
  for (const engine of options.engines) {
    const places: Place[] = []
    try {
      for (const size of [large, times(large, smallShare)]) {
        places.push(await startPlace(context, engine, size, hosts))
      }
      const [big, small] = places
      if (!big || !small) continue
      rows.push(...(await compareSizes(context, big, small)))
      notes.push(await describeSize(big))
    } finally {
      await Promise.all(places.map(({ installation }) => installation.server.stop()))
    }
  }
  return rows
}

function times(size: typeof scale, share: number): typeof scale {
  const { animals, certificates, domains } = size
  return {
    animals: animals * share,
    domains: domains * share,
    certificates: certificates * share,
  }
}

async function startPlace(
  context: BenchContext,
  engine: EngineName,
  { animals, certificates, domains }: typeof scale,
  hosts: SeededHost[],
): Promise<Place> {
  const { log, options } = context
  log(`scale: ${animals.toLocaleString('en')} animals on ${engine}`)
  const installation = await startInstallation({
    ...createServerPlace(context),
    command: options.command,
    databaseUrl: await createDatabaseFor(context, engine, `scale${animals}`),
    animals,
    hosts: hosts.slice(0, certificates),
    fillers: domains - certificates,
  })
  return { installation, animals }
}

async function compareSizes(context: BenchContext, big: Place, small: Place): Promise<Row[]> {
  const { log, options } = context
  const [server, peer] = [big.installation.server, small.installation.server]
  const peerLabel = `${small.animals.toLocaleString('en')} animals`
  const { engine } = server
  const compare = (job: string, unit: Row['unit'], read: (one: Server) => number): Row =>
    compareValues(job, engine, unit, [read(server)], peerLabel, [read(peer)])
  const rows = [
    compare('start to the first answer', 'ms', ({ startMs }) => startMs),
    compare('memory at rest', 'MB', ({ restingBytes }) => restingBytes / 1e6),
  ]
  for (const job of createJobs(context, Math.min(maxCursors, small.animals / 5))) {
    log(`scale: ${job.name} on ${engine}`)
    const runs = [await job.contestant(big), await job.contestant(small)]
    const [samples = [], peerSamples = []] = await runRounds(runs, options)
    const { name, unit } = job
    const sides = { samples, peer: peerLabel, peerSamples }
    const row = compareRounds({ job: name, engine, ...sides, target, ...(unit && { unit }) })
    log(`scale: ${summarizeRow(row)}`)
    rows.push(row)
  }
  return rows
}

function createJobs(context: BenchContext, cursors: number): Job[] {
  const { cores } = context
  const withWrk = (
    name: string,
    connections: number,
    prepare: (place: Place) => Promise<Load>,
  ): Job => ({
    name,
    async contestant(place) {
      const load = await prepare(place)
      const { server } = place.installation
      return (round, seconds) =>
        runWrk(server, load, { connections, seconds, round, cores: cores.generator })
    },
  })
  return [
    withWrk('hot list of 20', readConnections, async ({ installation }) => ({
      kind: 'fixed',
      path: installation.server.api.listPath,
    })),
    withWrk('cold list, status filter', readConnections, async ({ installation: { server } }) => ({
      kind: 'paths',
      file: writeLines(
        context,
        server,
        'cold',
        (await server.api.findColdPaths?.(server, cursors)) ?? [],
      ),
    })),
    withWrk('get by id, all over', readConnections, async ({ animals, installation }) => ({
      kind: 'paths',
      file: writeLines(
        context,
        installation.server,
        'get',
        Array.from(
          { length: recordsInTurn },
          (_, n) => `/v1/pets/${scatteredId(n * Math.ceil(animals / recordsInTurn), animals)}`,
        ),
      ),
    })),
    withWrk('create, 32 connections', createConnections, async ({ installation: { server } }) => ({
      kind: 'bodies',
      path: server.api.createPath ?? '',
      file: writeLines(context, server, 'create', createBodies(5_000)),
    })),
    {
      name: 'handshake at a certificate in turn',
      unit: '/cpu s',
      contestant:
        async ({ installation }) =>
        (_, seconds) =>
          runHandshakes(
            installation.sites,
            { version: 'TLSv1.3', isResumed: false },
            { seconds, cores: cores.generator },
          ),
    },
  ]
}

async function describeSize({ animals, installation }: Place): Promise<string> {
  const { folder, server } = installation
  const bytes =
    server.engine === 'SQLite'
      ? ['production.db', 'publishing.db'].map((file) => statSync(join(folder, file)).size)
      : await schemaSizes(installation.databaseUrl ?? '')
  const [store = 0, publishing = 0] = bytes.map((size) => Math.round(size / 1e6))
  return (
    `scale, ${server.engine}: ${animals.toLocaleString('en')} animals take ${store} MB; their projects, domains and ` +
    `certificates ${publishing} MB`
  )
}

async function schemaSizes(databaseUrl: string): Promise<number[]> {
  const statements = ['production', 'publishing'].map(
    (schema) =>
      `SELECT sum(pg_total_relation_size(c.oid))::float8 AS size FROM pg_class c
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = '${schema}' AND c.relkind = 'r'`,
  )
  const results = await queryEach({ dataDir: '', databaseUrl }, 'public', statements)
  return results.map(([row]) => Number(row?.size))
}
