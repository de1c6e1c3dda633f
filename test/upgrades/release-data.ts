// The data of earlier releases, which create-release.ts has created, and of the last version between releases that this one
// takes over from.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import type { Engine, TestDatabase } from '../database.ts'
import { emptyPlace } from '../place-for-test.ts'

export const versions = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** Those whose databases are migrated: their programs are there. */
export const releases = versions.filter((version) =>
  existsSync(join(import.meta.dirname, version, 'program.tar.gz')),
)

/** The program of a release: unpacked once, as deep below the root as the built program, whose paths it has. */
export function programOf(release: string): string {
  const cache = join(import.meta.dirname, '../../.cache')
  const folder = join(cache, `program-${release}`)
  if (!existsSync(folder)) {
    const unpacked = mkdtempSync(join(cache, 'unpacked-'))
    const archive = join(import.meta.dirname, release, 'program.tar.gz')
    execFileSync('tar', ['xzf', archive, '-C', unpacked])
    renameSync(join(unpacked, 'program'), folder)
    rmSync(unpacked, { recursive: true })
  }
  return join(folder, 'main.js')
}

/** What create-release.ts has seen of the data. */
export interface Known {
  key: string
  token: string
  operator: string
  secretKey: string
  /** Bodies of the store's responses by path. */
  lists: Record<string, string>
  project: { slug: string }
  domain: { host: string; addedAt: string; verification: string }
}

const environments = ['production', 'staging']

/** Answers are replayed for 24 hours: those of a release are older. */
const renewAnswers = `update idempotency_keys set created_at = ${Date.now()}`

/** A new place with the data of a release, until the test has finished. Its idempotency keys were used just now. */
export async function loadRelease(
  engine: Engine,
  release: string,
): Promise<{ known: Known; place: TestDatabase }> {
  const folder = join(import.meta.dirname, release)
  const known = JSON.parse(readFileSync(join(folder, `${engine}.json`), 'utf8')) as Known
  const place = await emptyPlace(engine)
  if (engine === 'sqlite') loadSqlite(place, folder)
  else await loadPostgres(place, folder)
  writeFileSync(join(place.dataDir, 'secret.key'), known.secretKey, { mode: 0o600 })
  return { known, place }
}

function loadSqlite(place: TestDatabase, folder: string): void {
  for (const file of readdirSync(folder)) {
    const name = /^sqlite-(.+\.db)\.sql\.gz$/.exec(file)?.[1]
    if (name === undefined) continue
    const database = new DatabaseSync(join(place.dataDir, name))
    database.exec(readDump(join(folder, file)))
    if (environments.some((one) => name === `${one}.db`)) database.exec(renewAnswers)
    database.close()
  }
}

async function loadPostgres(place: TestDatabase, folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: place.databaseUrl })
  await client.connect()
  await client.query(readDump(join(folder, 'postgres.sql.gz')))
  for (const schema of environments)
    await client.query(`set search_path to ${schema}; ${renewAnswers}`)
  await client.end()
}

const readDump = (file: string) => gunzipSync(readFileSync(file)).toString()
