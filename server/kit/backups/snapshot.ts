// A consistent view of all databases of an installation, from which a backup is written: one implementation for each
// engine.
import type { Value } from '../database/query.ts'
import { BackupError } from './backup-error.ts'
import {
  type ColumnType,
  columnTypes,
  type DatabaseShape,
  type TableShape,
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
      const known = typeNames[type.toLowerCase()]
      if (!known) throw new BackupError(`${place}: unknown type ${type} of ${name}.${column}.`)
      return { name: column, type: known }
    }),
    key: its
      .filter(({ pk }) => Number(pk) > 0)
      .sort((a, b) => Number(a.pk) - Number(b.pk))
      .map(({ column }) => column),
  }))
}
