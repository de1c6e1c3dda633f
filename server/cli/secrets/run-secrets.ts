// Runs secret rotate on the local databases, with or without running servers.
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../platform/config/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { countByKey, type EncryptedColumn, reEncrypt } from '../../platform/database/re-encrypt.ts'
import { beginKeyRotation, endKeyRotation, keyFileIn } from '../../platform/secret-key-file.ts'
import { openSecrets, type Secrets } from '../../platform/secrets.ts'
import { encryptedColumns } from '../../publishing/encrypted-columns.ts'
import { encryptedColumnsOf } from '../../store/webhooks/encrypted-columns.ts'
import { CommandError, type Input, print } from '../command-line/command.ts'
import { withPublishing, withStore } from '../command-line/local-database.ts'

type Stored = { database: Database; columns: readonly EncryptedColumn[] }[]

const defaultTimeoutMs = 1400
const marginMs = 500

export async function rotate(input: Input): Promise<undefined> {
  const { keyId, message, replaced } = await withAll(async (stored, config) => {
    const usesFile = config.secretKeys.length === 0
    const secrets = openSecrets(config)
    await requireKnownKeys(stored, secrets)
    if (usesFile) {
      secrets.keyId() // creates the file if there is none
      beginKeyRotation(config.dataDir)
    }
    let replaced = await reEncryptAll(stored, secrets)
    if (usesFile) {
      // A server may have encrypted with the old key just before it read the new file. It writes that within the
      // time-out of the database, or not at all.
      await delay((config.databaseTimeoutMs ?? defaultTimeoutMs) + marginMs)
      replaced += await reEncryptAll(stored, secrets)
      endKeyRotation(config.dataDir)
    }
    return { keyId: secrets.keyId(), message: nextStep(config), replaced }
  })
  const secrets = replaced === 1 ? '1 secret' : `${replaced} secrets`
  const text = `Encrypted ${secrets} with the key ${keyId}. ${message}`
  print(input, { keyId, reEncrypted: replaced }, text)
}

function withAll<T>(use: (stored: Stored, config: Config) => Promise<T>): Promise<T> {
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

/** Before anything is changed: a command that lacks the server's SECRET_KEY would otherwise mix the keys. */
async function requireKnownKeys(stored: Stored, secrets: Secrets): Promise<void> {
  for (const { columns, database } of stored) {
    for (const [id, count] of await countByKey(database, columns)) {
      if (secrets.hasKey(id)) continue
      throw new CommandError(
        `the key ${id}, which encrypts ${count} of the stored secrets, is missing: set SECRET_KEY as the server has it, with older keys after the new one, separated by commas`,
      )
    }
  }
}

async function reEncryptAll(stored: Stored, secrets: Secrets): Promise<number> {
  let replaced = 0
  for (const { columns, database } of stored) {
    replaced += await reEncrypt(database, columns, secrets)
  }
  return replaced
}

function nextStep({ dataDir, secretKeys }: Config): string {
  if (secretKeys.length === 0) return 'The old key was deleted.'
  const file = keyFileIn(dataDir)
  const steps =
    'When every node runs with this key first in SECRET_KEY, run this command once more and remove the older keys.'
  return existsSync(file) ? `${steps} Then delete ${file}, too.` : steps
}
