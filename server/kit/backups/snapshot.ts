// What backups need of an engine, one implementation for each: a consistent view of all databases of an installation, from
// which a backup is written, and a place into which one is restored. Rows are read and written in batches of bounded size.

import { createHash } from 'node:crypto'
import type { Database } from '../database/database.ts'
import type { Migration } from '../database/declared-tables.ts'
import type { Value } from '../database/query.ts'
import type { EncryptedColumn } from '../database/re-encrypt.ts'
import {
  BackupError,
  type ColumnType,
  columnTypes,
  type DatabaseShape,
  RowBuffer,
  type TableShape,
  type TableSum,
} from './backup-format.ts'

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

/** A column as an engine names it. `pk`: its place in the primary key, from 1; 0 outside of it. */
export interface StoredColumn {
  table: string
  column: string
  type: string
  pk: number | bigint
}

const [int64, text, bytes] = columnTypes
/** By the names of both engines, in lower case. */
const typeNames: Record<string, ColumnType | undefined> = {
  ...{ integer: int64, int: int64, bigint: int64 },
  text,
  ...{ blob: bytes, bytea: bytes },
}

/** The tables of these columns, which are in their order. `place` names the database in errors. */
export function tablesOf(columns: readonly StoredColumn[], place: string): TableShape[] {
  return [...Map.groupBy(columns, ({ table }) => table)].map(([name, its]) => ({
    name,
    columns: its.map(({ column, type }) => {
      const typeName = typeNames[type.toLowerCase()]
      if (!typeName) throw new BackupError(`${place}: unknown type ${type} of ${name}.${column}.`)
      return { name: column, type: typeName }
    }),
    key: its
      .filter(({ pk }) => Number(pk) > 0)
      .sort((a, b) => Number(a.pk) - Number(b.pk))
      .map(({ column }) => column),
  }))
}

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

export interface BackupProgress {
  step: 'copying' | 'checking' | 'restoring' | 'comparing'
  /** Bytes of the file while it is checked or restored, otherwise rows. */
  done: number
  total: number
}

const maxBatchBytes = 4 * 1024 * 1024
const maxBatchRows = 5000

/** At least one row each; the last one may exceed the bytes. */
export function* batchesOf(rows: Iterable<Value[]>): Generator<Value[][]> {
  let batch: Value[][] = []
  let bytes = 0
  for (const row of rows) {
    batch.push(row)
    bytes += sizeOfRow(row)
    if (bytes < maxBatchBytes && batch.length < maxBatchRows) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}

/** About its bytes. */
export function sizeOfRow(row: readonly Value[]): number {
  let bytes = 0
  for (const value of row) {
    bytes += typeof value === 'string' || value instanceof Uint8Array ? value.length : 8
  }
  return bytes
}

export function createTableDigest(database: string, table: string) {
  const digest = createHash('sha256')
  let rows = 0
  return {
    /** `content` are `count` encoded rows. */
    add(content: Buffer, count: number): void {
      digest.update(content)
      rows += count
    },
    end: (): TableSum => ({ database, table, rows, sha256: digest.digest('hex') }),
  }
}

/** Reads a table; `onRows` is called with how many rows were read. */
export async function sumTable(
  snapshot: Snapshot,
  database: string,
  table: TableShape,
  onRows: (count: number) => void,
): Promise<TableSum> {
  const digest = createTableDigest(database, table.name)
  const buffer = new RowBuffer()
  for await (const rows of snapshot.readRows(database, table)) {
    for (const row of rows) buffer.add(row)
    digest.add(buffer.content(), buffer.rows)
    buffer.clear()
    onRows(rows.length)
  }
  return digest.end()
}
