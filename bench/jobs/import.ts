// Section import: `animals import` of many animals into an empty store, from NDJSON and from CSV, compared with the
// tool of each engine that loads the same CSV into the same table: .import of the sqlite3 shell, \copy of psql.
// Those tools do not validate names, update counters or assign identifiers.

import { execFileSync } from 'node:child_process'
import { closeSync, cpSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type BenchContext, createServerPlace } from '../harness/context.ts'
import { pinToCores } from '../harness/cores.ts'
import { type CommandUsage, measureCommand } from '../harness/measure-command.ts'
import type { EngineName } from '../harness/options.ts'
import { readTreeUsage } from '../harness/processes.ts'
import { alternate } from '../load/rounds.ts'
import { compareMemory, type Row, type SectionResults } from '../results/compare-rounds.ts'
import { medianOf, ratioOf, spreadOf } from '../results/statistics.ts'
import { seededAnimal } from '../seed/seed-animals.ts'
import { animalStore } from '../servers/server.ts'
import { startStore } from '../servers/store-server.ts'

/** An import takes seconds and varies less than a round of requests. */
const maxRounds = 3

interface Files {
  ndjson: string
  csv: string
}

interface ImportUsage extends CommandUsage {
  /** Of PostgreSQL's processes; included in `cpuSeconds`. */
  databaseCpuSeconds: number
}

interface Importer {
  label: string
  isAnimalStore: boolean
  /** Imports into a new, empty store, checks that all animals are stored, and deletes the store. */
  run(round: number): Promise<ImportUsage>
}

export async function runImports(context: BenchContext): Promise<SectionResults> {
  const { options, log } = context
  const files = writeFiles(context)
  const all: SectionResults = { rows: [], notes: [] }
  for (const engine of options.engines) {
    const importers =
      engine === 'sqlite'
        ? await createSqliteImporters(context, files)
        : await createPostgresImporters(context, files)
    const rounds = Math.min(options.rounds, maxRounds)
    log(`import on ${engine}: ${importers.length} importers, ${rounds} rounds`)
    const usages = await alternate(
      importers.map((importer) => importer.run),
      rounds,
    )
    const found = compareImporters(engine, options.importCount, importers, usages)
    all.rows.push(...found.rows)
    all.notes.push(...found.notes)
  }
  return all
}

async function createSqliteImporters(context: BenchContext, files: Files): Promise<Importer[]> {
  const { options, cores, folder, log } = context
  const empty = await createEmptyStore(context, undefined)
  const createImporter = (
    label: string,
    isAnimalStore: boolean,
    commandFor: (data: string) => string[],
  ) => ({
    label,
    isAnimalStore,
    async run(round: number): Promise<ImportUsage> {
      const data = join(folder, `import-${round}`)
      cpSync(empty, data, { recursive: true })
      const command = pinToCores(cores.server, commandFor(data))
      const env = { DATA_DIR: data, DATABASE_URL: undefined }
      const usage = await measureCommand(command, env, join(folder, 'import.log'))
      const database = new DatabaseSync(join(data, 'production.db'), { readOnly: true })
      const [counted] = database.prepare(countSql).all()
      database.close()
      checkImported(label, counted, options.importCount, isAnimalStore)
      rmSync(data, { recursive: true })
      return { ...usage, databaseCpuSeconds: 0 }
    },
  })
  const stores = [files.ndjson, files.csv].map((file) =>
    createImporter(labelOf(file), true, () => importCommand(options.command, file)),
  )
  if (!hasProgram('sqlite3')) {
    log('import: sqlite3 is not installed, so .import is skipped')
    return stores
  }
  const shell = createImporter('sqlite3 .import, CSV', false, (data) => [
    ...['sqlite3', '-bail', join(data, 'production.db')],
    // The cache size of the Animal Store.
    ...['PRAGMA cache_size = -32768', `.import --csv --skip 1 ${files.csv} pets`],
  ])
  return [...stores, shell]
}

async function createPostgresImporters(context: BenchContext, files: Files): Promise<Importer[]> {
  const { options, cores, folder, postgres } = context
  if (!postgres) throw new Error('PostgreSQL is not running')
  const empty = 'import_empty'
  await createEmptyStore(context, postgres.createDatabase(empty))
  let databases = 0
  const createImporter = (
    label: string,
    isAnimalStore: boolean,
    commandFor: (url: string) => string[],
  ) => ({
    label,
    isAnimalStore,
    async run(): Promise<ImportUsage> {
      const name = `import_${++databases}`
      const url = postgres.createDatabase(name, empty)
      await query(`${postgres.url}/postgres`, 'CHECKPOINT')
      const before = readTreeUsage(postgres.pid).cpuSeconds
      const command = pinToCores(cores.server, commandFor(url))
      const env = { DATA_DIR: folder, DATABASE_URL: url, PGOPTIONS: '-c search_path=production' }
      const usage = await measureCommand(command, env, join(folder, 'import.log'))
      // Until the process that served the connection has ended and its time is counted.
      await delay(200)
      const databaseCpuSeconds = readTreeUsage(postgres.pid).cpuSeconds - before
      const [counted] = await query(url, countSql, '-c search_path=production')
      checkImported(label, counted, options.importCount, isAnimalStore)
      await query(`${postgres.url}/postgres`, `DROP DATABASE ${name}`)
      return { ...usage, cpuSeconds: usage.cpuSeconds + databaseCpuSeconds, databaseCpuSeconds }
    },
  })
  const copy = `\\copy pets (id, name, category_id, status) FROM '${files.csv}' WITH (FORMAT csv, HEADER)`
  return [
    ...[files.ndjson, files.csv].map((file) =>
      createImporter(labelOf(file), true, () => importCommand(options.command, file)),
    ),
    createImporter('psql \\copy, CSV', false, (url) => [
      postgres.programPath('psql'),
      ...['--no-psqlrc', '--quiet', '--set', 'ON_ERROR_STOP=1', '--command', copy, url],
    ]),
  ]
}

/** Starts a store once, so that it creates its database. Returns its data folder. */
async function createEmptyStore(
  context: BenchContext,
  databaseUrl: string | undefined,
): Promise<string> {
  const { cores, options } = context
  const place = createServerPlace(context, cores.server)
  const command = options.command
  const server = await startStore({
    ...place,
    label: animalStore,
    command,
    animals: 0,
    databaseUrl,
  })
  await server.stop()
  return place.folder
}

function importCommand(command: string[], file: string): string[] {
  return [...command, 'animals', 'import', '--environment', 'production', file]
}

function labelOf(file: string): string {
  return file.endsWith('.csv') ? 'CSV' : 'NDJSON'
}

function writeFiles({ options, folder, log }: BenchContext): Files {
  const count = options.importCount
  log(`import: writing ${count.toLocaleString('en')} animals as NDJSON and as CSV`)
  const files = { ndjson: join(folder, 'animals.ndjson'), csv: join(folder, 'animals.csv') }
  const [ndjson, csv] = [openSync(files.ndjson, 'w'), openSync(files.csv, 'w')]
  writeSync(csv, 'id,name,categoryId,status\r\n')
  const chunk = 10_000
  for (let first = 1; first <= count; first += chunk) {
    const pets = Array.from({ length: Math.min(chunk, count - first + 1) }, (_, n) =>
      seededAnimal(first + n),
    )
    writeSync(ndjson, pets.map((pet) => `${JSON.stringify(pet)}\n`).join(''))
    writeSync(csv, pets.map((pet) => `${Object.values(pet).join()}\r\n`).join(''))
  }
  closeSync(ndjson)
  closeSync(csv)
  return files
}

function compareImporters(
  engine: EngineName,
  count: number,
  importers: Importer[],
  usages: ImportUsage[][],
): SectionResults {
  const results = importers.map((importer, index) => ({ ...importer, usages: usages[index] ?? [] }))
  const stores = results.filter(({ isAnimalStore }) => isAnimalStore)
  const [peer] = results.filter(({ isAnimalStore }) => !isAnimalStore)
  const name = engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  const perSecond = (all: ImportUsage[]) => all.map(({ wallSeconds }) => count / wallSeconds)
  const cpuUs = (all: ImportUsage[]) =>
    (medianOf(all.map(({ cpuSeconds }) => cpuSeconds)) / count) * 1e6
  const peak = (all: ImportUsage[]) => medianOf(all.map(({ peakBytes }) => peakBytes))
  const rows = stores.flatMap((store): Row[] => [
    {
      job: `import of ${count.toLocaleString('en')}, ${store.label}`,
      engine: name,
      unit: 'rows/s',
      result: spreadOf(perSecond(store.usages)),
      cpuUs: cpuUs(store.usages),
      errors: 0,
      limitedBy: [],
      ...(peer && {
        cpuRatio: cpuUs(peer.usages) / cpuUs(store.usages),
        peer: peer.label,
        peerResult: spreadOf(perSecond(peer.usages)),
        ratio: ratioOf(perSecond(store.usages), perSecond(peer.usages)),
      }),
      samples: { server: store.usages, peer: peer?.usages ?? [] },
    },
    ...(peer
      ? [
          compareMemory(
            `import, ${store.label}: peak memory`,
            name,
            peak(store.usages),
            peer.label,
            peak(peer.usages),
          ),
        ]
      : []),
  ])
  return { rows, notes: results.map((result) => createNote(name, result, peak(result.usages))) }
}

function createNote(
  engine: string,
  { label, usages }: { label: string; usages: ImportUsage[] },
  peak: number,
) {
  const median = (read: (usage: ImportUsage) => number): string =>
    medianOf(usages.map(read)).toFixed(2)
  const database = median((usage) => usage.databaseCpuSeconds)
  return (
    `import, ${engine}, ${label}: ${median((usage) => usage.wallSeconds)} s; processor time ` +
    `${median((usage) => usage.cpuSeconds)} s${engine === 'SQLite' ? '' : `, of which PostgreSQL ${database} s`}; ` +
    `peak memory ${Math.round(peak / 1e6)} MB`
  )
}

const countSql = `SELECT count(*) AS pets, max(id) AS last, (SELECT last_pet_id FROM store_state)
  AS kept, (SELECT available + pending + sold FROM store_state) AS counted FROM pets`

/** Checks the number of animals, and in the Animal Store also its counters and its last identifier. */
function checkImported(
  label: string,
  counts: unknown,
  count: number,
  isAnimalStore: boolean,
): void {
  const { pets, last, kept, counted } = counts as Record<string, unknown>
  const areCountersRight = Number(counted) === count && last === kept
  if (Number(pets) === count && (areCountersRight || !isAnimalStore)) return
  throw new Error(`import, ${label}: expected ${count} animals: ${JSON.stringify(counts)}`)
}

async function query(url: string, text: string, settings?: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, ...(settings && { options: settings }) })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

function hasProgram(name: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`])
    return true
  } catch {
    return false
  }
}
