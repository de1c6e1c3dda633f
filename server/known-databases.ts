// The databases of an installation, each with all of its migrations, and what it keeps encrypted.
import { codeSecretContext } from '#accounts/sign-in/second-factor.ts'
import { accountContext } from '#domains/certificates/authorities/authorities.ts'
import { internalRootContext } from '#domains/certificates/authorities/internal-authority.ts'
import { keyContext } from '#domains/certificates/records/certificate-rows.ts'
import { allowanceMigrations } from '#kit/allowances/allowance-migrations.ts'
import { installedDatabases } from '#kit/backups/backup-format.ts'
import type { KnownDatabase } from '#kit/backups/snapshot.ts'
import type { EncryptedColumn } from '#kit/database/re-encrypt.ts'
import { connectKeyColumn } from '#optional/domain-connect/open.ts'
import { domainWebhookColumn } from '#optional/domain-webhooks/open.ts'
import { encryptedColumnsOf } from '#optional/webhooks/open.ts'
import { publishingMigrations } from '#publishing/database/migrations/publishing-migrations.ts'
import { startPublishingEpoch } from '#publishing/database/publishing-state.ts'
import type { EnvironmentName } from '#store/database/environment-name.ts'
import { storeMigrations } from '#store/database/migrations/store-migrations.ts'
import { startStoreEpoch } from '#store/database/state.ts'

const privateKeyOf = (
  table: string,
  key: string,
  contextOf: EncryptedColumn['contextOf'],
): EncryptedColumn => ({ table, column: 'private_key', key, contextOf })

/** What the database of publishing and accounts keeps encrypted. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  // There is one root, which its certificate identifies.
  privateKeyOf('internal_roots', 'chain', () => internalRootContext),
  privateKeyOf('acme_accounts', 'directory', accountContext),
  privateKeyOf('certificate_orders', 'domain_id', (id) => keyContext('order', id)),
  privateKeyOf('certificates', 'id', (id) => keyContext('certificate', id)),
  connectKeyColumn,
  { table: 'one_time_codes', column: 'secret', key: 'account_id', contextOf: codeSecretContext },
  domainWebhookColumn,
]

const storeOf = (environment: EnvironmentName) => ({
  migrations: storeMigrations,
  encryptedColumns: [...encryptedColumnsOf(environment)],
  startEpoch: startStoreEpoch,
})

const databases: Record<(typeof installedDatabases)[number], Omit<KnownDatabase, 'name'>> = {
  production: storeOf('production'),
  staging: storeOf('staging'),
  publishing: {
    migrations: publishingMigrations,
    encryptedColumns,
    startEpoch: startPublishingEpoch,
  },
  limits: { migrations: allowanceMigrations, encryptedColumns: [] },
}

export const knownDatabases = installedDatabases.map((name) => ({ name, ...databases[name] }))
