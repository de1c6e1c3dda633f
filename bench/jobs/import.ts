// `animals import` of many animals into an empty store, from NDJSON and from CSV, against what
// each engine brings itself for loading the same CSV into the same table: .import of the sqlite3
// shell, and \copy of psql. Those check no names, count nothing and give no identifiers.

import { execFileSync } from 'node:child_process'
import { closeSync, cpSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { pinned } from '../cores.ts'
import { newPlace, type Surroundings } from '../fleet.ts'
import { type CommandUse, measureCommand } from '../measured-command.ts'
import type { EngineName } from '../options.ts'
import { readTreeUse } from '../processes.ts'
import { compareMemory, type Row } from '../results.ts'
import { alternate } from '../rounds.ts'
import { animalAt } from '../seed.ts'
import { startStore } from '../servers/store-server.ts'
import { ratioOf, spreadOf } from '../statistics.ts'

/** One takes seconds, and varies less than a round of requests. */
const maxRounds = 3

interface Files {
  ndjson: string
  csv: string
}

interface ImportUse extends CommandUse {
  /** PostgreSQL's own processes; part of `cpuSeconds` too. */
  databaseCpuSeconds: number
}

interface Importer {
  label: string
  isOurs: boolean
  /** Into a store of its own that is empty; checks that all animals are there, and removes it. */
  run(round: number): Promise<ImportUse>
}

interface Found {
  rows: Row[]
  notes: string[]
}

export async function runImports(surroundings: Surroundings): Promise<Found> {
  const { options, say } = surroundings
  const files = writeFiles(surroundings)
  const all: Found = { rows: [], notes: [] }
  for (const engine of options.engines) {
    const importers =
      engine === 'sqlite'
        ? await sqliteImporters(surroundings, files)
        : await postgresImporters(surroundings, files)
    const rounds = Math.min(options.rounds, maxRounds)
    say(`import on ${engine}: ${importers.length} importers, ${rounds} rounds`)
    const uses = await alternate(
      importers.map((importer) => importer.run),
      rounds,
    )
    const found = compare(engine, options.imported, importers, uses)
    all.rows.push(...found.rows)
    all.notes.push(...found.notes)
  }
  return all
}

async function sqliteImporters(surroundings: Surroundings, files: Files): Promise<Importer[]> {
  const { options, cores, folder, say } = surroundings
  const empty = await emptyStore(surroundings, undefined)
  const importer = (label: string, isOurs: boolean, commandFor: (data: string) => string[]) => ({
    label,
    isOurs,
    async run(round: number): Promise<ImportUse> {
      const data = join(folder, `import-${round}`)
      cpSync(empty, data, { recursive: true })
      const command = pinned(cores.server, commandFor(data))
      const env = { DATA_DIR: data, DATABASE_URL: undefined }
      const use = await measureCommand(command, env, join(folder, 'import.log'))
      const database = new DatabaseSync(join(data, 'production.db'), { readOnly: true })
      const [counted] = database.prepare(imported).all()
      database.close()
      check(label, counted, options.imported, isOurs)
      rmSync(data, { recursive: true })
      return { ...use, databaseCpuSeconds: 0 }
    },
  })
  const ours = [files.ndjson, files.csv].map((file) =>
    importer(labelOf(file), true, () => importCommand(options.ours, file)),
  )
  if (!hasProgram('sqlite3')) {
    say('import: sqlite3 is not installed, and left out')
    return ours
  }
  const shell = importer('sqlite3 .import, CSV', false, (data) => [
    ...['sqlite3', '-bail', join(data, 'production.db')],
    // As much of a cache as ours has.
    ...['PRAGMA cache_size = -32768', `.import --csv --skip 1 ${files.csv} pets`],
  ])
  return [...ours, shell]
}

async function postgresImporters(surroundings: Surroundings, files: Files): Promise<Importer[]> {
  const { options, cores, folder, postgres } = surroundings
  if (!postgres) throw new Error('PostgreSQL is not running')
  const empty = 'import_empty'
  await emptyStore(surroundings, postgres.createDatabase(empty))
  let databases = 0
  const importer = (label: string, isOurs: boolean, commandFor: (url: string) => string[]) => ({
    label,
    isOurs,
    async run(): Promise<ImportUse> {
      const name = `import_${++databases}`
      const url = postgres.createDatabase(name, empty)
      await ask(`${postgres.url}/postgres`, 'CHECKPOINT')
      const before = readTreeUse(postgres.pid).cpuSeconds
      const command = pinned(cores.server, commandFor(url))
      const env = { DATA_DIR: folder, DATABASE_URL: url, PGOPTIONS: '-c search_path=production' }
      const use = await measureCommand(command, env, join(folder, 'import.log'))
      // Until the last process that served it has ended and was counted.
      await delay(200)
      const databaseCpuSeconds = readTreeUse(postgres.pid).cpuSeconds - before
      const [counted] = await ask(url, imported, '-c search_path=production')
      check(label, counted, options.imported, isOurs)
      await ask(`${postgres.url}/postgres`, `DROP DATABASE ${name}`)
      return { ...use, cpuSeconds: use.cpuSeconds + databaseCpuSeconds, databaseCpuSeconds }
    },
  })
  const copy = `\\copy pets (id, name, category_id, status) FROM '${files.csv}' WITH (FORMAT csv, HEADER)`
  return [
    ...[files.ndjson, files.csv].map((file) =>
      importer(labelOf(file), true, () => importCommand(options.ours, file)),
    ),
    importer('psql \\copy, CSV', false, (url) => [
      postgres.program('psql'),
      ...['--no-psqlrc', '--quiet', '--set', 'ON_ERROR_STOP=1', '--command', copy, url],
    ]),
  ]
}

/** The data folder of a store that was started once and has no animals. */
async function emptyStore(
  surroundings: Surroundings,
  databaseUrl: string | undefined,
): Promise<string> {
  const { cores, options } = surroundings
  const place = newPlace(surroundings, cores.server)
  const command = options.ours
  const server = await startStore({ ...place, label: 'ours', command, animals: 0, databaseUrl })
  await server.stop()
  return place.folder
}

function importCommand(ours: string[], file: string): string[] {
  return [...ours, 'animals', 'import', '--environment', 'production', file]
}

function labelOf(file: string): string {
  return file.endsWith('.csv') ? 'CSV' : 'NDJSON'
}

function writeFiles({ options, folder, say }: Surroundings): Files {
  const count = options.imported
  say(`import: writing ${count.toLocaleString('en')} animals as NDJSON and as CSV`)
  const files = { ndjson: join(folder, 'animals.ndjson'), csv: join(folder, 'animals.csv') }
  const [ndjson, csv] = [openSync(files.ndjson, 'w'), openSync(files.csv, 'w')]
  writeSync(csv, 'id,name,categoryId,status\r\n')
  const atOnce = 10_000
  for (let first = 1; first <= count; first += atOnce) {
    const pets = Array.from({ length: Math.min(atOnce, count - first + 1) }, (_, n) =>
      animalAt(first + n),
    )
    writeSync(ndjson, pets.map((pet) => `${JSON.stringify(pet)}\n`).join(''))
    writeSync(csv, pets.map((pet) => `${Object.values(pet).join()}\r\n`).join(''))
  }
  closeSync(ndjson)
  closeSync(csv)
  return files
}

function compare(
  engine: EngineName,
  count: number,
  importers: Importer[],
  uses: ImportUse[][],
): Found {
  const results = importers.map((importer, index) => ({ ...importer, uses: uses[index] ?? [] }))
  const ours = results.filter(({ isOurs }) => isOurs)
  const [peer] = results.filter(({ isOurs }) => !isOurs)
  const name = engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  const perSecond = (all: ImportUse[]) => all.map(({ wallSeconds }) => count / wallSeconds)
  const cpuUs = (all: ImportUse[]) =>
    (spreadOf(all.map(({ cpuSeconds }) => cpuSeconds)).median / count) * 1e6
  const peak = (all: ImportUse[]) => spreadOf(all.map(({ peakBytes }) => peakBytes)).median
  const rows = ours.flatMap((mine): Row[] => [
    {
      job: `import of ${count.toLocaleString('en')}, ${mine.label}`,
      engine: name,
      unit: 'rows/s',
      ours: spreadOf(perSecond(mine.uses)),
      cpuUs: cpuUs(mine.uses),
      errors: 0,
      limitedBy: [],
      ...(peer && {
        cpuRatio: cpuUs(peer.uses) / cpuUs(mine.uses),
        peer: peer.label,
        theirs: spreadOf(perSecond(peer.uses)),
        ratio: ratioOf(perSecond(mine.uses), perSecond(peer.uses)),
      }),
      samples: { ours: mine.uses, theirs: peer?.uses ?? [] },
    },
    ...(peer
      ? [
          compareMemory(
            `import, ${mine.label}: peak memory`,
            name,
            peak(mine.uses),
            peer.label,
            peak(peer.uses),
          ),
        ]
      : []),
  ])
  return { rows, notes: results.map((result) => noteOn(name, result, peak(result.uses))) }
}

function noteOn(
  engine: string,
  { label, uses }: { label: string; uses: ImportUse[] },
  peak: number,
) {
  const median = (of: (use: ImportUse) => number): string =>
    spreadOf(uses.map(of)).median.toFixed(2)
  const database = median((use) => use.databaseCpuSeconds)
  return (
    `import, ${engine}, ${label}: ${median((use) => use.wallSeconds)} s; processor time ` +
    `${median((use) => use.cpuSeconds)} s${engine === 'SQLite' ? '' : `, of it PostgreSQL's ${database} s`}; ` +
    `at most ${Math.round(peak / 1e6)} MB of memory`
  )
}

const imported = `SELECT count(*) AS pets, max(id) AS last, (SELECT last_pet_id FROM store_state)
  AS kept, (SELECT available + pending + sold FROM store_state) AS counted FROM pets`

/** All are there; of ours the counters say so, too, and the last identifier is known. */
function check(label: string, found: unknown, count: number, isOurs: boolean): void {
  const { pets, last, kept, counted } = found as Record<string, unknown>
  const agree = Number(counted) === count && last === kept
  if (Number(pets) === count && (agree || !isOurs)) return
  throw new Error(`import, ${label}: not ${count} animals: ${JSON.stringify(found)}`)
}

async function ask(url: string, text: string, settings?: string): Promise<unknown[]> {
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
