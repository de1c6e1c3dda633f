// Opens the snapshot of an installation on the engine that it uses.
import { existsSync } from 'node:fs'
import { type Place, sqliteFileOf } from '../database/open.ts'
import { BackupError } from './backup-error.ts'
import { openPostgresSnapshot } from './postgres-snapshot.ts'
import type { Snapshot } from './snapshot.ts'
import { openSqliteSnapshot } from './sqlite-snapshot.ts'

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
