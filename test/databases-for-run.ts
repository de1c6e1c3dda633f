// Vitest's global set-up: what the databases of the tests are made from. A migrated database of each engine, which tests
// copy, because the migrations are two thirds of a first start; on SQLite a folder, in TEST_SQLITE_TEMPLATE. One
// PostgreSQL for the whole run, with its URL in TEST_POSTGRES_URL and the database in TEST_POSTGRES_TEMPLATE; none is
// started if the run uses only SQLite, if the caller provides a server, or if PostgreSQL is missing here.
import { rm } from 'node:fs/promises'
import { allowanceMigrations } from '#kit/allowances/allowance-migrations.ts'
import { migrateDatabase } from '#kit/database/engines/open.ts'
import { publishingMigrations } from '#publishing/database/migrations/publishing-migrations.ts'
import { storeMigrations } from '#store/database/migrations/store-migrations.ts'
import { createDataFolder } from './data-folder.ts'
import { createDatabase, engines } from './database.ts'
import { startPostgres } from './postgres.ts'

export async function setup(): Promise<() => Promise<void>> {
  const folder = await createDataFolder('animal-store-template-')
  await migrateAll({ dataDir: folder })
  process.env.TEST_SQLITE_TEMPLATE = folder
  const stopPostgres = await preparePostgres()
  return async () => {
    delete process.env.TEST_SQLITE_TEMPLATE
    await rm(folder, { recursive: true })
    await stopPostgres?.()
  }
}

async function preparePostgres(): Promise<(() => Promise<void>) | undefined> {
  if (!engines.includes('postgres') || process.env.TEST_POSTGRES_URL) return undefined
  // No test kills this server: tests that need that start their own.
  const postgres = await startPostgres({ durable: false })
  process.env.TEST_POSTGRES_URL = postgres.url
  const databaseUrl = await createDatabase('migrated', 'template0')
  await migrateAll({ dataDir: '/nonexistent', databaseUrl })
  process.env.TEST_POSTGRES_TEMPLATE = 'migrated'
  return async () => {
    delete process.env.TEST_POSTGRES_URL
    delete process.env.TEST_POSTGRES_TEMPLATE
    await postgres.stop()
  }
}

async function migrateAll(place: { dataDir: string; databaseUrl?: string }): Promise<void> {
  await migrateDatabase(place, 'limits', allowanceMigrations)
  await migrateDatabase(place, 'production', storeMigrations)
  await migrateDatabase(place, 'staging', storeMigrations)
  await migrateDatabase(place, 'publishing', publishingMigrations)
}
