// A database that notes what is read of it: how often the content of files, and how much at once.
import type { Database, Session } from '../../server/platform/database/database.ts'

export interface CountedReads {
  /** Statements of any kind. */
  all: number
  /** Bytes of content of each reading of it, in order. */
  contents: number[]
  between(database: Database): Database
}

export function countReads(): CountedReads {
  const counted: CountedReads = {
    all: 0,
    contents: [],
    between(database) {
      const note = (rows: unknown): void => {
        const [row] = rows as { bytes?: Uint8Array | null }[]
        if (row?.bytes) counted.contents.push(row.bytes.length)
      }
      const read: Session = {
        tuples: (query, params) => {
          counted.all++
          return database.read.tuples(query, params)
        },
        all: (query, params) => {
          counted.all++
          const rows = database.read.all(query, params)
          if (rows instanceof Promise) rows.then(note, () => {})
          else note(rows)
          return rows
        },
      }
      return { ...database, read }
    },
  }
  return counted
}
