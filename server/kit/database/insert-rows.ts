// Inserts many rows with few statements, of few sizes, so that few statements are compiled; and single rows by their fields.
import type { Session, WriteSession } from './database.ts'
import { type CamelCase, snakeCase } from './plain-row.ts'
import { type OnlyColumns, type Query, queriesFor, type Value, type Writable } from './query.ts'

type Params = Record<string, Value>

/** Rows per statement. */
const sizes = [512, 64, 16, 4, 1]

const prepareQuery = queriesFor<Record<string, Record<string, Value>>>()

/**
 * `rowInserter<Tables>()(table)` returns a function that inserts rows, which have the same columns, into a table in
 * order, inside a transaction. It waits for each statement, because statements have a time limit.
 */
export function rowInserter<Tables>() {
  return <Table extends keyof Tables & string>(table: Table) => {
    const inserters = new Map<string, ReturnType<typeof inserterOf>>()
    return async <R extends { [C in keyof Tables[Table]]?: Writable<Tables[Table][C]> }>(
      session: Session,
      rows: readonly OnlyColumns<Tables[Table], R>[],
    ): Promise<void> => {
      const columns = Object.keys(rows[0] ?? {})
      const insertsOf = inserters.getOrInsertComputed(`${columns}`, () =>
        inserterOf(table, columns),
      )
      for (const { params, query } of insertsOf(rows as never)) await session.all(query, params)
    }
  }
}

/** Like `rowInserter` with known columns, for small rows: the function does not wait. */
export function pipelinedInserter<Tables>() {
  return <Table extends keyof Tables & string, Column extends keyof Tables[Table] & string>(
    table: Table,
    columns: readonly Column[],
  ) => {
    const insertsOf = inserterOf(table, columns)
    return (session: WriteSession, rows: Record<Column, Value>[]): void => {
      for (const { params, query } of insertsOf(rows)) session.run(query, params)
    }
  }
}

interface Insert {
  query: Query<Params, unknown>
  params: Params
}

/** Gives a function that divides rows into insertions. */
function inserterOf<Column extends string>(table: string, columns: readonly Column[]) {
  const queries = new Map<number, Query<Params, unknown>>()

  function queryOf(size: number): Query<Params, unknown> {
    let query = queries.get(size)
    if (!query) {
      query = prepareQuery<Params>()((db, param) => {
        const row = (i: number): object =>
          Object.fromEntries(columns.map((column) => [column, param(`${column}${i}`)]))
        // The table is known at run time only; its columns were checked.
        return db.insertInto(table).values(Array.from({ length: size }, (_, i) => row(i)) as never)
      })
      queries.set(size, query)
    }
    return query
  }

  return function* (rows: Record<Column, Value>[]): Generator<Insert> {
    for (let start = 0; start < rows.length; ) {
      const size = sizes.find((s) => s <= rows.length - start) as number
      const params: Params = {}
      for (let i = 0; i < size; i++) {
        const row = rows[start + i] as Record<Column, Value>
        for (const column of columns) params[`${column}${i}`] = row[column]
      }
      yield { query: queryOf(size), params }
      start += size
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
  const name = [table, ...key, ...fields].join()
  const known = statements.get(name)
  if (known) return known
  const query = prepareQuery<Params>()((db, param) => {
    const values = Object.fromEntries(fields.map((field) => [snakeCase(field), param(field)]))
    const insertion = db.insertInto(table).values(values as never)
    return key.length === 0
      ? insertion
      : insertion.onConflict((conflict) =>
          conflict.columns(key as never).doUpdateSet(values as never),
        )
  })
  statements.set(name, query)
  return query
}
