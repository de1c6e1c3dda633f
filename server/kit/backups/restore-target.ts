// What a backup is restored into: one implementation for each engine.
import type { Database } from '../database/database.ts'
import type { Migration } from '../database/migrate.ts'
import type { Value } from '../database/query.ts'
import type { EncryptedColumn } from '../database/re-encrypt.ts'
import type { DatabaseShape, TableShape } from './backup-format.ts'
import type { Snapshot } from './snapshot.ts'

/** A database of the installation, with all of its migrations. */
export interface KnownDatabase {
  name: string
  migrations: readonly Migration[]
  encryptedColumns: readonly EncryptedColumn[]
  /** Makes its versions higher than all that running processes may have seen. */
  startEpoch?(database: Database): Promise<void>
}

/** Where a backup is restored. Nothing is seen by others before `publish`. */
export interface RestoreTarget {
  /** Creates the tables, as the migrations up to this version do. */
  create(name: string, migrations: Migration[]): Promise<void>
  /** Deletes the rows that migrations have inserted, and lifts the foreign keys until `finish`. */
  begin(databases: readonly DatabaseShape[]): Promise<void>
  insert(database: string, table: TableShape, rows: readonly Value[][]): Promise<void>
  /** Puts the foreign keys into force again. Throws a BackupError if a reference does not hold. */
  finish(): Promise<void>
  /** To read the tables as they were created, and what was inserted. */
  openSnapshot(): Promise<Snapshot>
  /**
   * Starts an epoch, where processes may run on across a restore: only on PostgreSQL, because on SQLite they have the
   * files of before.
   */
  startEpoch(name: string, start: (database: Database) => Promise<void>): Promise<void>
  /** Makes it the installation's, and durable. */
  publish(): Promise<void>
  /** Removes what was not published. */
  close(): Promise<void>
}
