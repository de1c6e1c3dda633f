// Rows and SHA-256 of a table, over its encoded rows in the order of its key.
import { createHash } from 'node:crypto'
import type { TableSum } from './backup-format.ts'

export function createTableDigest(database: string, table: string) {
  const digest = createHash('sha256')
  let rows = 0
  return {
    /** `content` are `count` encoded rows. */
    add(content: Buffer, count: number): void {
      digest.update(content)
      rows += count
    },
    end: (): TableSum => ({ database, table, rows, sha256: digest.digest('hex') }),
  }
}
