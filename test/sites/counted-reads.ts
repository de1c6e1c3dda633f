// A database that notes what is read of it: how often files were looked for, how often their content was
// read, and how much at once. It answers a turn of the event loop later, so that requests do overlap.
import { setImmediate as later } from 'node:timers/promises'
import type { Database, Session } from '../../server/platform/database/database.ts'

export interface CountedReads {
  /** Statements of any kind. */
  all: number
  /** Look-ups of files that found some. */
  found: number
  /** Bytes of content of each reading of it, in order. */
  contents: number[]
  between(database: Database): Database
}

export function countReads(): CountedReads {
  const counted: CountedReads = {
    all: 0,
    found: 0,
    contents: [],
    between(database) {
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
