// Rows and SHA-256 of a table, over its encoded rows in the order of its key.
import { createHash } from 'node:crypto'
import type { TableShape, TableSum } from './backup-format.ts'
import { RowBuffer } from './row-codec.ts'
import type { Snapshot } from './snapshot.ts'

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

/** Reads a table; `onRows` is called with how many rows were read. */
export async function sumTable(
  snapshot: Snapshot,
  database: string,
  table: TableShape,
  onRows: (count: number) => void,
): Promise<TableSum> {
  const digest = createTableDigest(database, table.name)
  const buffer = new RowBuffer()
  for await (const rows of snapshot.readRows(database, table)) {
    for (const row of rows) buffer.add(row)
    digest.add(buffer.content(), buffer.rows)
    buffer.clear()
    onRows(rows.length)
  }
  return digest.end()
}
