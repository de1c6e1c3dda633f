// At the start: encryption keys that stored secrets need, and that are not here. Everything else works without them, so
// that nobody would notice before the first certificate or webhook.

import { replaceUnreadable } from '#domains/certificates/replace-unreadable.ts'
import { systemClock } from '#kit/clock.ts'
import { findUnknownKeys } from '#kit/database/re-encrypt.ts'
import type { Logger } from '#kit/log.ts'
import { openSecrets } from '#kit/secrets.ts'
import { withAllSecrets } from '../backups/stored-secrets.ts'
import { withPublishing } from '../command-line/local-database.ts'

export async function reportMissingKeys(log: Logger): Promise<void> {
  const missing = await withAllSecrets(async (stored, config) => {
    const secrets = openSecrets(config)
    const unknown = await findUnknownKeys(stored, secrets)
    // Creates the key at the first start: doctor and backup rely on it.
    secrets.keyId()
    return unknown
  })
  for (const [keyId, secrets] of missing) {
    const replaced = await withPublishing((database) =>
      replaceUnreadable(database, keyId, systemClock()),
    )
    const next =
      replaced === undefined
        ? 'Nothing is issued again while other processes are running.'
        : `${replaced} certificates are issued again.`
    log.error(
      { event: 'encryption_key.missing', keyId, secrets },
      `the encryption key ${keyId} of ${secrets} stored secrets is missing: put your copy of secret.key into DATA_DIR, or add it to SECRET_KEY, and restart. ${next}`,
    )
  }
}
