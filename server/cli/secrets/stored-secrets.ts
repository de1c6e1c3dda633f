// All stored secrets of the local databases.
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { countByKey, type EncryptedColumn } from '../../platform/database/re-encrypt.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { encryptedColumns } from '../../publishing/encrypted-columns.ts'
import { encryptedColumnsOf } from '../../store/webhooks/encrypted-columns.ts'
import { withPublishing, withStore } from '../command-line/local-database.ts'

export type StoredSecrets = { database: Database; columns: readonly EncryptedColumn[] }[]

/** Opens the databases that have secrets, migrated, for as long as `use` runs. */
export function withAllSecrets<T>(
  use: (stored: StoredSecrets, config: Config) => Promise<T>,
): Promise<T> {
  return withPublishing((publishing, config) =>
    withStore('production', (production) =>
      withStore('staging', (staging) =>
        use(
          [
            { database: publishing, columns: encryptedColumns },
            { database: production, columns: encryptedColumnsOf('production') },
            { database: staging, columns: encryptedColumnsOf('staging') },
          ],
          config,
        ),
      ),
    ),
  )
}

/** Ids of keys that are missing here, with the number of secrets that each encrypts. */
export async function findUnknownKeys(
  stored: StoredSecrets,
  secrets: Secrets,
): Promise<Map<string, number>> {
  const unknown = new Map<string, number>()
  for (const { columns, database } of stored) {
    for (const [id, count] of await countByKey(database, columns)) {
      if (!secrets.hasKey(id)) unknown.set(id, (unknown.get(id) ?? 0) + count)
    }
  }
  return unknown
}
