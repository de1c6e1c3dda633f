// Vitest's global set-up: one PostgreSQL for the whole run, with its URL in TEST_POSTGRES_URL. None is started if the run
// uses only SQLite, or if the caller provides a server.
import { engines } from './database.ts'
import { startPostgres } from './postgres.ts'

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (!engines.includes('postgres') || process.env.TEST_POSTGRES_URL) return undefined
  // No test kills this server: tests that need that start their own.
  const postgres = await startPostgres({ durable: false })
  process.env.TEST_POSTGRES_URL = postgres.url
  return async () => {
    delete process.env.TEST_POSTGRES_URL
    await postgres.stop()
  }
}
