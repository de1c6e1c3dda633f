// The local databases, for commands that work with or without a running server.
import type { Config } from '#kit/config/config.ts'
import type { Database } from '#kit/database/database.ts'
import { withDatabase } from '#kit/database/engines/open.ts'
import { publishingMigrations } from '#publishing/database/migrations/publishing-migrations.ts'
import { type EnvironmentName, environmentNames } from '#store/database/environment-name.ts'
import { storeMigrations } from '#store/database/migrations/store-migrations.ts'
import { loadConfig, readChoice } from './command.ts'

/** Opens the database of publishing and accounts, migrated, for as long as `use` runs. */
export function withPublishing<T>(
  use: (database: Database, config: Config) => Promise<T>,
): Promise<T> {
  const config = loadConfig()
  return withDatabase(
    config,
    { name: 'publishing', migrations: publishingMigrations },
    (database) => use(database, config),
  )
}

/** Opens the database of an environment of the store, migrated, for as long as `use` runs. */
export function withStore<T>(
  environment: string | undefined,
  use: (database: Database, name: EnvironmentName, config: Config) => Promise<T>,
): Promise<T> {
  const name = readChoice(environmentNames, environment ?? '', '--environment')
  const config = loadConfig()
  return withDatabase(config, { name, migrations: storeMigrations }, (database) =>
    use(database, name, config),
  )
}
