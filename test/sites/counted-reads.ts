// A database that counts reads: look-ups of files, reads of their content, and the bytes of each. It responds one turn
// of the event loop later, so that requests overlap.
import { setImmediate as later } from 'node:timers/promises'
import type { Database, Session } from '#kit/database/database.ts'

export function countReads() {
  const counted = {
    /** All statements. */
    all: 0,
    /** Look-ups that found a file. */
    found: 0,
    /** The bytes of each read of content, in order. */
    contents: [] as number[],
    between(database: Database): Database {
      const note = (rows: unknown): void => {
        const [row] = rows as { bytes?: Uint8Array | null; hash?: string }[]
        if (row?.bytes) counted.contents.push(row.bytes.length)
        if (row?.hash !== undefined) counted.found++
      }
      const read: Session = {
        tuples: (query, params) => {
          counted.all++
          return database.read.tuples(query, params)
        },
        all: async (query, params) => {
          counted.all++
          const rows = await database.read.all(query, params)
          note(rows)
          await later()
          return rows
        },
      }
      return { ...database, read }
    },
  }
  return counted
}
