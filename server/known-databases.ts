// The databases of an installation, each with all of its migrations, and what it keeps encrypted.
import { allowanceMigrations } from '#kit/allowances/allowance-migrations.ts'
import { installedDatabases } from '#kit/backups/installed-databases.ts'
import type { KnownDatabase } from '#kit/backups/restore-target.ts'
import { publishingMigrations } from '#publishing/database/migrations/publishing-migrations.ts'
import { startPublishingEpoch } from '#publishing/database/publishing-state.ts'
import type { EnvironmentName } from '#store/database/environment-name.ts'
import { storeMigrations } from '#store/database/migrations/store-migrations.ts'
import { startStoreEpoch } from '#store/database/state.ts'
import { encryptedColumnsOf } from '#store/webhooks/encrypted-columns.ts'
import { encryptedColumns } from './encrypted-columns.ts'

const storeOf = (environment: EnvironmentName) => ({
  migrations: storeMigrations,
  encryptedColumns: encryptedColumnsOf(environment),
  startEpoch: startStoreEpoch,
})

const known: Record<(typeof installedDatabases)[number], Omit<KnownDatabase, 'name'>> = {
  production: storeOf('production'),
  staging: storeOf('staging'),
  publishing: {
    migrations: publishingMigrations,
    encryptedColumns,
    startEpoch: startPublishingEpoch,
  },
  limits: { migrations: allowanceMigrations, encryptedColumns: [] },
}

export const knownDatabases = installedDatabases.map((name) => ({ name, ...known[name] }))
