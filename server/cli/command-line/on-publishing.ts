// Commands on the database of publishing, which has the accounts, too: straight on it, with the server
// running or not.
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { migrateDatabase, openDatabase } from '../../platform/database/open.ts'
import { publishingMigrations } from '../../publishing/database/migrations/publishing-migrations.ts'
import { loadConfig } from './command.ts'

/** Runs `use` on the database, which is created and brought up to date if need be, and closes it. */
export async function onPublishing<T>(
  use: (database: Database, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig()
  await migrateDatabase(config, 'publishing', publishingMigrations)
  const database = openDatabase(config, 'publishing', { onError: () => {} })
  try {
    return await use(database, config)
  } finally {
    await database.close()
  }
}
