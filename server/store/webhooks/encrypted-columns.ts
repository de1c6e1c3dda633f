// What an environment of the store keeps encrypted.
import type { EncryptedColumn } from '#kit/database/re-encrypt.ts'
import type { EnvironmentName } from '../database/environment-name.ts'
import { secretContext } from './webhooks.ts'

export function encryptedColumnsOf(environment: EnvironmentName): EncryptedColumn[] {
  return ['secret', 'previous_secret'].map((column) => ({
    table: 'webhooks',
    column,
    key: 'id',
    contextOf: (id) => secretContext(environment, id),
  }))
}
