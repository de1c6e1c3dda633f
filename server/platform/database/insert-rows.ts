// Inserts many rows with few statements, of few sizes, so that few statements are compiled.
import type { Session } from './database.ts'
import { type Query, queriesFor, type Value } from './query.ts'

type Params = Record<string, Value>

/** Rows per statement. */
const sizes = [512, 64, 16, 4, 1]

const prepareQuery = queriesFor<Record<string, Record<string, Value>>>()

/**
 * `rowInserter<Tables>()(table, columns)` returns a function that inserts rows into a table in order, inside
 * a transaction.
 */
export function rowInserter<Tables>() {
  return <Table extends keyof Tables & string, Column extends keyof Tables[Table] & string>(
    table: Table,
    columns: readonly Column[],
  ): RowInserter<Column> => inserterOf(table, columns)
}

type RowInserter<Column extends string> = (
  session: Session,
  rows: Record<Column, Value>[],
) => Promise<void>

function inserterOf<Column extends string>(
  table: string,
  columns: readonly Column[],
): RowInserter<Column> {
  const queries = new Map<number, Query<Params, unknown>>()

  function queryOf(size: number): Query<Params, unknown> {
    let query = queries.get(size)
    if (!query) {
      query = prepareQuery<Params>()((db, param) => {
        const row = (i: number): object =>
          Object.fromEntries(columns.map((column) => [column, param(`${column}${i}`)]))
        // The table is known at run time only; `rowInserter` has checked its columns.
        return db.insertInto(table).values(Array.from({ length: size }, (_, i) => row(i)) as never)
      })
      queries.set(size, query)
    }
    return query
  }

  return async (session, rows) => {
    for (let start = 0; start < rows.length; ) {
      const size = sizes.find((s) => s <= rows.length - start) as number
      const params: Params = {}
      for (let i = 0; i < size; i++) {
        const row = rows[start + i] as Record<Column, Value>
        for (const column of columns) params[`${column}${i}`] = row[column]
      }
      await session.all(queryOf(size), params)
      start += size
    }
  }
}
