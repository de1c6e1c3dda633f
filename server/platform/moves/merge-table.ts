// Makes a table of the target equal to the source's: both are read in the order of their keys, and only what differs is
// written. So the same code copies into an empty table, goes on after an interruption, and catches up with later writes.
import type { TableShape, TableSum } from '../backups/backup-format.ts'
import type { RowBatch, Snapshot } from '../backups/snapshot.ts'
import { createRowDigest } from '../backups/table-digest.ts'
import type { Value } from '../database/query.ts'

export interface TableChanges {
  /** Keys of rows that the source does not have, in the order of the key's columns. */
  removed: Value[][]
  /** Rows that are new or have changed. */
  put: Value[][]
}

export interface MergeOptions {
  signal: AbortSignal
  write(changes: TableChanges): Promise<void>
  /** Called with how many rows of the source were read. */
  onRows(count: number): void
}

export interface MergedTable {
  source: TableSum
  /** As the target was read, before it was changed. */
  target: TableSum
  /** Rows that were written or deleted. */
  changes: number
}

/** Throws the signal's reason when it aborts. What was written until then stays. */
export async function mergeTable(
  source: Snapshot,
  target: Snapshot,
  database: string,
  table: TableShape,
  { onRows, signal, write }: MergeOptions,
): Promise<MergedTable> {
  const keys = table.key.map((name) => table.columns.findIndex((column) => column.name === name))
  const keyOf = (row: readonly Value[]): Value[] => keys.map((i) => row[i] ?? null)
  const sourceDigest = createRowDigest(database, table.name)
  const targetDigest = createRowDigest(database, table.name)
  const existing = createRowReader(target.readRows(database, table), (rows) =>
    targetDigest.add(rows),
  )
  let changes = 0
  // One write is under way while the next rows are read.
  let writing: Promise<void> = Promise.resolve()
  const apply = async (batch: TableChanges): Promise<void> => {
    await writing
    const count = batch.removed.length + batch.put.length
    if (count === 0) return
    changes += count
    writing = write(batch)
    writing.catch(() => {})
  }

  try {
    await existing.advance()
    for await (const rows of source.readRows(database, table)) {
      signal.throwIfAborted()
      sourceDigest.add(rows)
      const batch: TableChanges = { removed: [], put: [] }
      for (const row of rows) {
        let order = orderOf(existing.row, row, keys)
        while (order < 0) {
          batch.removed.push(keyOf(existing.row as Value[]))
          const more = existing.advance()
          if (more) await more
          order = orderOf(existing.row, row, keys)
        }
        if (order > 0 || !isEqual(existing.row as Value[], row)) batch.put.push(row)
        if (order > 0) continue
        const more = existing.advance()
        if (more) await more
      }
      await apply(batch)
      onRows(rows.length)
    }
    while (existing.row) {
      const batch: TableChanges = { removed: [], put: [] }
      while (existing.row && batch.removed.length < maxRemoved) {
        batch.removed.push(keyOf(existing.row))
        await existing.advance()
      }
      await apply(batch)
    }
    await writing
  } finally {
    await writing.catch(() => {})
    await existing.close()
  }
  return { source: sourceDigest.end(), target: targetDigest.end(), changes }
}

const maxRemoved = 5000

/** The rows of batches one by one. `advance` gives a promise only where it has to wait. */
function createRowReader(batches: AsyncIterable<RowBatch>, onBatch: (rows: RowBatch) => void) {
  const iterator = batches[Symbol.asyncIterator]()
  let batch: RowBatch = []
  let at = 0
  const reader = {
    /** Undefined after the last one. */
    row: undefined as Value[] | undefined,
    advance(): Promise<void> | undefined {
      reader.row = batch[at++]
      return reader.row === undefined ? readBatch() : undefined
    },
    async close(): Promise<void> {
      await iterator.return?.()
    },
  }
  async function readBatch(): Promise<void> {
    const { done, value } = await iterator.next()
    if (done) return
    batch = value
    onBatch(batch)
    at = 1
    reader.row = batch[0]
  }
  return reader
}

/** Negative: `existing` comes before `row`. A table that has ended comes after everything. */
function orderOf(existing: readonly Value[] | undefined, row: readonly Value[], keys: number[]) {
  if (!existing) return 1
  for (const i of keys) {
    const order = compareValues(existing[i] ?? null, row[i] ?? null)
    if (order !== 0) return order
  }
  return 0
}

/** In the order in which both engines sort keys: integers, or bytes of texts. */
function compareValues(a: Value, b: Value): number {
  if (a === b) return 0
  if (typeof a === 'string' && typeof b === 'string') {
    return Buffer.compare(Buffer.from(a), Buffer.from(b))
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : 1
  throw new TypeError('keys of different types')
}

function isEqual(a: readonly Value[], b: readonly Value[]): boolean {
  return a.every((value, i) => {
    const other = b[i]
    return value instanceof Uint8Array && other instanceof Uint8Array
      ? Buffer.compare(value, other) === 0
      : value === other
  })
}
