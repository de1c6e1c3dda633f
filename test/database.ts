// Gives a suite a fresh place to keep data in, on each engine the run is for.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

export type Engine = 'sqlite' | 'postgres'

/**
 * For `describe.each(engines)('animals on %s', (engine) => …)`. TEST_ENGINES=sqlite leaves
 * PostgreSQL out, which is what `npm run check` does.
 */
export const engines: readonly Engine[] =
  process.env.TEST_ENGINES === 'sqlite' ? ['sqlite'] : ['sqlite', 'postgres']

/** For what has nothing to do with the engine, such as words, pages and options: either would show it. */
export const anyEngine: readonly Engine[] = ['sqlite']

/** What the configuration needs to run on this place: DATA_DIR and, on PostgreSQL, DATABASE_URL. */
export interface TestDatabase {
  readonly engine: Engine
  /** A new, empty folder. */
  readonly dataDir: string
  /** Of a new, empty database; absent on SQLite. */
  readonly databaseUrl?: string
  /** Removes both, and ends whatever connection is still open to the database. */
  release(): Promise<void>
}

/** The caller releases it, in `afterEach` or `onTestFinished`. */
export async function createTestDatabase(engine: Engine): Promise<TestDatabase> {
  const databaseUrl = engine === 'postgres' ? await createDatabase() : undefined
  const dataDir = await mkdtemp(join(tmpdir(), 'animal-store-test-'))
  return {
    engine,
    dataDir,
    ...(databaseUrl !== undefined && { databaseUrl }),
    async release() {
      await rm(dataDir, { recursive: true, force: true })
      if (databaseUrl !== undefined) await dropDatabase(databaseUrl)
    },
  }
}

async function createDatabase(): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(`CREATE DATABASE ${name} TEMPLATE template0`)
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  return url.href
}

async function dropDatabase(databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1)
  await administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() })
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
