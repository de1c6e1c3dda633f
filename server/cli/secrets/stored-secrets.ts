// All stored secrets of the local databases.
import type { Config } from '../../platform/config/config.ts'
import type { StoredSecrets } from '../../platform/database/re-encrypt.ts'
import { encryptedColumns } from '../../publishing/encrypted-columns.ts'
import { encryptedColumnsOf } from '../../store/webhooks/encrypted-columns.ts'
import { withPublishing, withStore } from '../command-line/local-database.ts'

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
