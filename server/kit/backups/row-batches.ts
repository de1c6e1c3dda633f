// Splits rows into batches of bounded size, whatever the rows are.
import type { Value } from '../database/query.ts'

const maxBatchBytes = 4 * 1024 * 1024
const maxBatchRows = 5000

/** At least one row each; the last one may exceed the bytes. */
export function* batchesOf(rows: Iterable<Value[]>): Generator<Value[][]> {
  let batch: Value[][] = []
  let bytes = 0
  for (const row of rows) {
    batch.push(row)
    bytes += sizeOfRow(row)
    if (bytes < maxBatchBytes && batch.length < maxBatchRows) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

/** About its bytes. */
export function sizeOfRow(row: readonly Value[]): number {
  let bytes = 0
  for (const value of row) {
    bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
  }
  return bytes
}
