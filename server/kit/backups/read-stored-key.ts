import { readBackup } from './read-backup.ts'

/** The content of the key file in a backup; undefined if it does not include it. */
export function readStoredKey(path: string): Buffer | undefined {
  for (const part of readBackup(path)) {
    if (part.type === 'key') return Buffer.from(part.content)
  }
  return undefined
}
