// Vitest's global set-up: one PostgreSQL for the whole run, with its URL in TEST_POSTGRES_URL
// and a migrated database in TEST_POSTGRES_TEMPLATE. None is started if the run
// uses only SQLite, if the caller provides a server, or if PostgreSQL is missing here.
import { allowanceMigrations } from '#kit/allowances/allowance-migrations.ts'
import { migrateDatabase } from '#kit/database/open.ts'
import { publishingMigrations } from '#publishing/database/migrations/publishing-migrations.ts'
import { storeMigrations } from '#store/database/migrations/store-migrations.ts'
import { createDatabase, engines } from './database.ts'
import { startPostgres } from './postgres.ts'

export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (!engines.includes('postgres') || process.env.TEST_POSTGRES_URL) return undefined
  // No test kills this server: tests that need that start their own.
  const postgres = await startPostgres({ durable: false })
  process.env.TEST_POSTGRES_URL = postgres.url
  await createTemplate()
  process.env.TEST_POSTGRES_TEMPLATE = template
  return async () => {
    delete process.env.TEST_POSTGRES_URL
    delete process.env.TEST_POSTGRES_TEMPLATE
    await postgres.stop()
  }
}

const template = 'migrated'

/** A migrated database, which tests copy: half of the time of a first start is its migrations. */
async function createTemplate(): Promise<void> {
  const databaseUrl = await createDatabase(template, 'template0')
  const place = { dataDir: '/nonexistent', databaseUrl }
  await migrateDatabase(place, 'limits', allowanceMigrations)
  await migrateDatabase(place, 'production', storeMigrations)
  await migrateDatabase(place, 'staging', storeMigrations)
  await migrateDatabase(place, 'publishing', publishingMigrations)
}
