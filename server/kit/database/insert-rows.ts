// Inserts many rows with few statements, of few sizes, so that few statements are compiled; and single rows by their fields.

import type { Session } from './database.ts'
import { type CamelCase, snakeCase } from './plain-row.ts'
import { type OnlyColumns, type Query, queriesFor, type Value, type Writable } from './query.ts'

type Params = Record<string, Value>

/** Rows per statement. */
const sizes = [512, 64, 16, 4, 1]

const prepareQuery = queriesFor<Record<string, Record<string, Value>>>()

type SomeColumns<Row> = { [C in keyof Row]?: Writable<Row[C]> }

/**
 * `rowInserter<Tables>()(table)` returns a function that inserts rows, which have the same columns, inside a transaction, in
 * order. It waits for each statement, because statements have a time limit.
 */
export function rowInserter<Tables>() {
  return <Table extends keyof Tables & string>(table: Table) => {
    const queries = new Map<string, Query<Params, unknown>>()
    const queryOf = (columns: string[], size: number) =>
      queries.getOrInsertComputed(`${size} ${columns}`, () =>
        prepareQuery<Params>()((db, param) => {
          const row = (i: number): object =>
            Object.fromEntries(columns.map((column) => [column, param(`${column}${i}`)]))
          // The table is known at run time only; its columns were checked.
          return db
            .insertInto(table)
            .values(Array.from({ length: size }, (_, i) => row(i)) as never)
        }),
      )
    return async <R extends SomeColumns<Tables[Table]>>(
      session: Session,
      rows: readonly OnlyColumns<Tables[Table], R>[],
    ): Promise<void> => {
      const columns = Object.keys(rows[0] ?? {})
      for (let start = 0; start < rows.length; ) {
        const size = sizes.find((s) => s <= rows.length - start) as number
        const params: Params = {}
        for (let i = 0; i < size; i++) {
          const row = rows[start + i] as Params
          for (const column of columns) params[`${column}${i}`] = row[column] as Value
        }
        await session.all(queryOf(columns, size), params)
        start += size
      }
    }
  }
}

type NewRow<Row> = {
  [C in keyof Row & string as null extends Row[C] ? never : CamelCase<C>]: Writable<Row[C]>
} & {
  [C in keyof Row & string as null extends Row[C] ? CamelCase<C> : never]?: Writable<Row[C]>
}

/** For single rows, whose fields are named for the columns, in camel case. Columns that are null may be left out. */
export function rowWriter<Tables>() {
  type Table = keyof Tables & string
  return {
    async insertRow<T extends Table>(session: Session, table: T, row: NewRow<Tables[T]>) {
      await session.all(statementOf(table, row, []), row as Params)
    },
    /** Replaces the row with the same `key`, if there is one: the columns. */
    async saveRow<T extends Table>(
      session: Session,
      table: T,
      key: readonly (keyof Tables[T] & string)[],
      row: NewRow<Tables[T]>,
    ) {
      await session.all(statementOf(table, row, key), row as Params)
    },
  }
}

const statements = new Map<string, Query<Params, unknown>>()

function statementOf(table: string, row: object, key: readonly string[]): Query<Params, unknown> {
  const fields = Object.keys(row)
  return statements.getOrInsertComputed([table, ...key, ...fields].join(), () =>
    prepareQuery<Params>()((db, param) => {
      const values = Object.fromEntries(fields.map((field) => [snakeCase(field), param(field)]))
      const insertion = db.insertInto(table).values(values as never)
      return key.length === 0
        ? insertion
        : insertion.onConflict((conflict) =>
            conflict.columns(key as never).doUpdateSet(values as never),
          )
    }),
  )
}
