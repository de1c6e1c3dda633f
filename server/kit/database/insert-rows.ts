// Inserts many rows with few statements, of few sizes, so that few statements are compiled.
import type { Session, WriteSession } from './database.ts'
import { type Query, queriesFor, type Value } from './query.ts'

type Params = Record<string, Value>

/** Rows per statement. */
const sizes = [512, 64, 16, 4, 1]

const prepareQuery = queriesFor<Record<string, Record<string, Value>>>()

/**
 * `rowInserter<Tables>()(table, columns)` returns a function that inserts rows into a table in order, inside
 * a transaction. It waits for each statement, because statements have a time limit.
 */
export function rowInserter<Tables>() {
  return <Table extends keyof Tables & string, Column extends keyof Tables[Table] & string>(
    table: Table,
    columns: readonly Column[],
  ) => {
    const insertsOf = inserterOf(table, columns)
    return async (session: Session, rows: Record<Column, Value>[]): Promise<void> => {
      for (const { params, query } of insertsOf(rows)) await session.all(query, params)
    }
  }
}

/** Like `rowInserter`, for small rows: the function does not wait. */
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
