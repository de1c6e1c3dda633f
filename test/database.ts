// Creates a new place for data for each suite, on each engine of the run.
import { randomBytes } from 'node:crypto'
import { copyFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { createDataFolder } from './data-folder.ts'

export type Engine = 'sqlite' | 'postgres'

/**
 * For `describe.each(engines)('animals on %s', (engine) => …)`. TEST_ENGINES=sqlite excludes PostgreSQL, as
 * `npm run check` does; so does a machine that lacks it.
 */
export const engines: readonly Engine[] =
  process.env.TEST_ENGINES === 'sqlite' ||
  process.env.TEST_MISSING?.split(',').includes('postgresql')
    ? ['sqlite']
    : ['sqlite', 'postgres']

/** One engine, for tests that do not depend on it, such as those of texts, pages and options. */
export const anyEngine: readonly Engine[] = ['sqlite']

/** A place for data, with which a database can be opened and a program configured. */
export interface TestDatabase {
  readonly engine: Engine
  /** A new folder, in memory if there is enough. On SQLite with databases whose tables are migrated and empty. */
  readonly dataDir: string
  /** The URL of a new database like these; undefined on SQLite. */
  readonly databaseUrl?: string | undefined
  /** DATABASE_TIMEOUT_MS: long, so that no request fails on a busy machine. */
  readonly databaseTimeoutMs?: number | undefined
  /** Deletes both, and closes all connections to the database. */
  release(): Promise<void>
}

/** The same without tables. */
export const createEmptyDatabase = (engine: Engine): Promise<TestDatabase> =>
  createTestDatabase(engine, false)

/** The caller must release it, in `afterEach` or `onTestFinished`. */
export async function createTestDatabase(engine: Engine, isMigrated = true): Promise<TestDatabase> {
  const dataDir = await createDataFolder('animal-store-test-')
  let databaseUrl: string | undefined
  if (engine === 'postgres') {
    const template = (isMigrated && process.env.TEST_POSTGRES_TEMPLATE) || 'template0'
    databaseUrl = await createDatabase(`test_${randomBytes(8).toString('hex')}`, template)
  } else if (isMigrated) await copyFiles(process.env.TEST_SQLITE_TEMPLATE, dataDir)
  return {
    engine,
    dataDir,
    databaseUrl,
    databaseTimeoutMs: 20_000,
    async release() {
      await rm(dataDir, { recursive: true, force: true })
      if (databaseUrl !== undefined) await dropDatabase(databaseUrl)
    },
  }
}

async function copyFiles(from: string | undefined, to: string): Promise<void> {
  if (from === undefined) return
  for (const name of await readdir(from)) await copyFile(join(from, name), join(to, name))
}

/** Returns the URL of a new copy of `template`, by default on the server of the tests. */
export async function createDatabase(
  name: string,
  template: string,
  server = serverUrl(),
): Promise<string> {
  // Half of the processor time of the default, which writes each page to the log.
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`, server)
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

async function dropDatabase(databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1)
  await administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, serverUrl())
}

async function administer(statement: string, server: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function serverUrl(): string {
  const url = process.env.TEST_POSTGRES_URL
  if (!url) throw new Error('TEST_POSTGRES_URL is not set: run the tests with test/run')
  return url
}
