// A consistent view of all databases of an installation, from which a backup is written.
import { existsSync } from 'node:fs'
import type { Place } from '../database/open.ts'
import { BackupError } from './backup-error.ts'
import type { DatabaseShape, TableShape } from './backup-format.ts'
import { openPostgresSnapshot } from './postgres-snapshot.ts'
import { openSqliteSnapshot, sqliteFileOf } from './sqlite-snapshot.ts'

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

/** The databases of the place, which must exist. Throws a BackupError that names one that does not. */
export async function openSnapshot(place: Place, names: readonly string[]): Promise<Snapshot> {
  if (place.databaseUrl !== undefined) {
    return await openPostgresSnapshot(
      place.databaseUrl,
      names.map((name) => ({ name, schema: name })),
    )
  }
  const files = names.map((name) => ({ name, file: sqliteFileOf(place.dataDir, name) }))
  const missing = files.find(({ file }) => !existsSync(file))
  if (missing) {
    throw new BackupError(
      `${missing.file} does not exist: set DATA_DIR, or DATABASE_URL, as the server has it.`,
    )
  }
  return await openSqliteSnapshot(files)
}
