// Reads of one turn of the event loop share a read transaction while nothing is committed, because SQLite's locks take
// three times as long as reading a row by its key. Reads see every commit that was acknowledged before.
import type { DatabaseSync } from 'node:sqlite'

export type SharedReads = ReturnType<typeof createSharedReads>

/** `changeCounter` changes with every commit by any process (sqlite-change-counter.ts). */
export function createSharedReads(reader: DatabaseSync, changeCounter: () => number) {
  /** Before the transaction began. */
  let counter = 0
  let isFirst = true

  function end(): void {
    isFirst = true
    if (reader.isOpen && reader.isTransaction) reader.exec('commit')
  }

  return {
    /** Call it before each read. A single read needs no transaction. */
    begin(): void {
      if (isFirst) {
        isFirst = false
        setImmediate(end)
        return
      }
      const current = changeCounter()
      if (reader.isTransaction) {
        if (current === counter) return
        reader.exec('commit')
      }
      reader.exec('begin')
      counter = current
    },
    /** Call it before each write: the log can be reset only while nobody reads from it. */
    end,
  }
}
