// Runs secret rotate on the local databases, with or without running servers.
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '#kit/config/config.ts'
import { findUnknownKeys, reEncrypt, type StoredSecrets } from '#kit/database/re-encrypt.ts'
import {
  beginKeyRotation,
  endKeyRotation,
  keyFileIn,
  openSecrets,
  type Secrets,
} from '#kit/secrets.ts'
import { withAllSecrets } from './backups/stored-contents.ts'
import { CommandError, type Input, print } from './command-line/command.ts'

const defaultTimeoutMs = 1400
const marginMs = 500

export async function rotate(input: Input): Promise<undefined> {
  const { keyId, message, replaced } = await withAllSecrets(async (stored, config) => {
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

/** Before anything is changed: a command that lacks the server's SECRET_KEY would otherwise mix the keys. */
async function requireKnownKeys(stored: StoredSecrets, secrets: Secrets): Promise<void> {
  for (const [id, count] of await findUnknownKeys(stored, secrets)) {
    throw new CommandError(
      `the key ${id}, which encrypts ${count} of the stored secrets, is missing: set SECRET_KEY as the server has it, with older keys after the new one, separated by commas`,
    )
  }
}

async function reEncryptAll(stored: StoredSecrets, secrets: Secrets): Promise<number> {
  let replaced = 0
  for (const { database, encryptedColumns } of stored) {
    replaced += await reEncrypt(database, encryptedColumns, secrets)
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
