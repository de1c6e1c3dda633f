// Commands on the database of one of the store's environments: straight on it, with the server running or
// not.
import type { Database } from '../../platform/database/database.ts'
import { migrateDatabase, openDatabase } from '../../platform/database/open.ts'
import { type EnvironmentName, environmentNames } from '../../store/database/environment-name.ts'
import { storeMigrations } from '../../store/database/migrations/store-migrations.ts'
import { type Input, loadConfig, UsageError } from './command.ts'

/** Runs `use` on the environment's database, which is created and brought up to date if need be. */
export async function onStore<T>(
  input: Input,
  use: (database: Database, name: EnvironmentName) => Promise<T>,
): Promise<T> {
  const name = environmentNames.find((known) => known === input.options.environment)
  if (!name) throw new UsageError(`--environment accepts ${environmentNames.join(' or ')}`)
  const config = loadConfig()
  await migrateDatabase(config, name, storeMigrations)
  const database = openDatabase(config, name, { onError: () => {} })
  try {
    return await use(database, name)
  } finally {
    await database.close()
  }
}
