// The databases of an installation, each with all of its migrations.
import { allowanceMigrations } from '../../platform/allowances/allowance-migrations.ts'
import { installedDatabases } from '../../platform/backups/installed-databases.ts'
import type { KnownDatabase } from '../../platform/backups/restore-target.ts'
import type { Migration } from '../../platform/database/migrate.ts'
import type { EncryptedColumn } from '../../platform/database/re-encrypt.ts'
import { publishingMigrations } from '../../publishing/database/migrations/publishing-migrations.ts'
import { startPublishingEpoch } from '../../publishing/database/publishing-state.ts'
import { encryptedColumns } from '../../publishing/encrypted-columns.ts'
import { storeMigrations } from '../../store/database/migrations/store-migrations.ts'
import { startStoreEpoch } from '../../store/database/state.ts'
import { encryptedColumnsOf } from '../../store/webhooks/encrypted-columns.ts'

const epochs: Partial<Record<string, KnownDatabase['startEpoch']>> = {
  production: startStoreEpoch,
  staging: startStoreEpoch,
  publishing: startPublishingEpoch,
}

const columns: Partial<Record<string, readonly EncryptedColumn[]>> = {
  production: encryptedColumnsOf('production'),
  staging: encryptedColumnsOf('staging'),
  publishing: encryptedColumns,
}

const migrations: Record<(typeof installedDatabases)[number], readonly Migration[]> = {
  production: storeMigrations,
  staging: storeMigrations,
  publishing: publishingMigrations,
  limits: allowanceMigrations,
}

export const knownDatabases = installedDatabases.map((name) => ({
  name,
  migrations: migrations[name],
  encryptedColumns: columns[name] ?? [],
  ...(epochs[name] && { startEpoch: epochs[name] }),
})) satisfies readonly KnownDatabase[]
