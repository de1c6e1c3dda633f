// A consistent view of all databases of an installation, from which a backup is written: one implementation for each
// engine.
import type { Value } from '../database/query.ts'
import type { DatabaseShape, TableShape } from './backup-format.ts'

export type RowBatch = readonly Value[][]

export interface Snapshot {
  readonly engine: 'sqlite' | 'postgres'
  readonly databases: readonly DatabaseShape[]
  /** The moment of the view: milliseconds since the epoch. Every commit acknowledged before is part of it. */
  readonly takenAt: number
  /** How long no write could be committed, in milliseconds; 0 on PostgreSQL. */
  readonly writesHeldMs: number
  /** The problem that the engine finds in a database; undefined if there is none. Reads all of it on SQLite. */
  findProblem(database: string): string | undefined
  countRows(database: string, table: TableShape): Promise<number>
  /** The values of the rows, in the order of the bytes of their key, in batches of bounded size. */
  readRows(database: string, table: TableShape): AsyncIterable<RowBatch>
  close(): Promise<void>
}
