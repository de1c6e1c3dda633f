// At the start: encryption keys that stored secrets need, and that are not here. Everything else works without them, so
// that nobody would notice before the first certificate or webhook.
import type { Clock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { openDatabase } from '../../platform/database/open.ts'
import { findUnknownKeys } from '../../platform/database/re-encrypt.ts'
import type { Logger } from '../../platform/log.ts'
import { openSecrets } from '../../platform/secrets.ts'
import { replaceUnreadable } from '../../publishing/certificates/replace-unreadable.ts'
import { knownDatabases } from '../backups/known-databases.ts'

export async function reportMissingKeys(config: Config, clock: Clock, log: Logger): Promise<void> {
  const stored = knownDatabases
    .filter(({ encryptedColumns }) => encryptedColumns.length > 0)
    .map(({ encryptedColumns: columns, name }) => ({
      name,
      columns,
      database: openDatabase(config, name, { onError: () => {} }),
    }))
  try {
    const secrets = openSecrets(config)
    const missing = await findUnknownKeys(stored, secrets)
    // Creates the key at the first start: doctor and backup rely on it.
    secrets.keyId()
    const publishing = stored.find(({ name }) => name === 'publishing')?.database
    for (const [keyId, count] of missing) {
      const replaced = publishing && (await replaceUnreadable(publishing, keyId, clock()))
      const next =
        replaced === undefined
          ? 'Nothing is issued again while other processes are running.'
          : `${replaced} certificates are issued again.`
      log.error(
        { event: 'encryption_key.missing', keyId, secrets: count },
        `the encryption key ${keyId} of ${count} stored secrets is missing: put your copy of secret.key into DATA_DIR, or add it to SECRET_KEY, and restart. ${next}`,
      )
    }
  } finally {
    await Promise.all(stored.map(({ database }) => database.close()))
  }
}
