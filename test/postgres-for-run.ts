// Vitest's global set-up: one PostgreSQL for the whole run, its URL handed on in TEST_POSTGRES_URL.
// None is started when the run is on SQLite only, or when the caller brings a server of his own.
import { engines } from './database.ts'
import { startPostgres } from './postgres.ts'

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (!engines.includes('postgres') || process.env.TEST_POSTGRES_URL) return undefined
  // Nobody kills this one: those who do have their own.
  const postgres = await startPostgres({ durable: false })
  process.env.TEST_POSTGRES_URL = postgres.url
  return async () => {
    delete process.env.TEST_POSTGRES_URL
    await postgres.stop()
  }
}
