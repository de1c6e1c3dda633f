// A consistent view of all databases of an installation, from which a backup is written: one implementation for each
// engine.
import type { DatabaseShape, TableShape } from './backup-format.ts'

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
  /** Calls `visit` with the values of each row, in the order of the bytes of its key. */
  readRows(
    database: string,
    table: TableShape,
    visit: (values: readonly unknown[]) => void,
  ): Promise<void>
  close(): Promise<void>
}
