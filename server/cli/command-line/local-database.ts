// The local databases, for commands that work with or without a running server.
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { migrateDatabase, openDatabase } from '../../platform/database/open.ts'
import { publishingMigrations } from '../../publishing/database/migrations/publishing-migrations.ts'
import { type EnvironmentName, environmentNames } from '../../store/database/environment-name.ts'
import { storeMigrations } from '../../store/database/migrations/store-migrations.ts'
import { loadConfig, readChoice } from './command.ts'

/** Opens the database of publishing and accounts, migrated, for as long as `use` runs. */
export function withPublishing<T>(
  use: (database: Database, config: Config) => Promise<T>,
): Promise<T> {
  return withDatabase('publishing', publishingMigrations, use)
}

/** Opens the database of an environment of the store, migrated, for as long as `use` runs. */
export function withStore<T>(
  environment: string | undefined,
  use: (database: Database, name: EnvironmentName, config: Config) => Promise<T>,
): Promise<T> {
  const name = readChoice(environmentNames, environment ?? '', '--environment')
  return withDatabase(name, storeMigrations, (database, config) => use(database, name, config))
}

async function withDatabase<T>(
  name: Parameters<typeof openDatabase>[1],
  migrations: Parameters<typeof migrateDatabase>[2],
  use: (database: Database, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig()
  await migrateDatabase(config, name, migrations)
  const database = openDatabase(config, name, { onError: () => {} })
  try {
    return await use(database, config)
  } finally {
    await database.close()
  }
}
