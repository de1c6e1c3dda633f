// Many rows in one parameter, as a JSON array of objects, so that one statement of one text handles any number of them.
import { type RawBuilder, sql } from 'kysely'
import type { WriteSession } from './database.ts'
import { engineOf, type Query, type Value } from './query.ts'

// `x is not distinct from x` is always true, but PostgreSQL's planner expects few rows to meet it. Without it, it expects a
// hundred rows in any JSON and ten ids in any array: it then reads a whole table of 20,000 rows to change one of them, or
// plans a statement anew for each execution, because what it sees of the actual ids looks cheaper.

/** An item of a FROM clause named `name`: the rows of the parameter `json`, with these columns. */
export function jsonRows(
  db: object,
  json: unknown,
  name: string,
  columns: Record<string, 'text' | 'bigint'>,
): RawBuilder<unknown> {
  const entries = Object.entries(columns)
  if (engineOf(db) === 'postgres') {
    const types = entries.map(([column, type]) => sql`${sql.ref(column)} ${sql.raw(type)}`)
    return sql`(select * from json_to_recordset(cast(${json} as json)) as r (${sql.join(types)})
      where r is not distinct from r) as ${sql.ref(name)}`
  }
  const values = entries.map(([column]) => sql`value ->> ${sql.lit(column)} as ${sql.ref(column)}`)
  return sql`(select ${sql.join(values)} from json_each(${json})) as ${sql.ref(name)}`
}

/** A condition: the integer `column` is one of the parameter `ids`, which `joinIds` writes. */
export function isOneOf(db: object, column: string, ids: unknown): RawBuilder<boolean> {
  const id = sql.ref(column)
  return engineOf(db) === 'postgres'
    ? sql`${id} = any(cast('{' || ${ids} || '}' as bigint[])) and ${id} is not distinct from ${id}`
    : sql`${id} in (select value from json_each('[' || ${ids} || ']'))`
}

/** The same for text: `texts` is a JSON array. As an array of PostgreSQL, so that it looks each up in an index. */
export function isOneOfTexts(db: object, column: string, texts: unknown): RawBuilder<boolean> {
  return engineOf(db) === 'postgres'
    ? sql`${sql.ref(column)} = any(array(select json_array_elements_text(cast(${texts} as json))))`
    : sql`${sql.ref(column)} in (select value from json_each(${texts}))`
}

/**
 * Runs a statement with rows, without waiting: PostgreSQL once, with all of them as the parameter `rows`, SQLite with each, whose
 * columns are its parameters.
 */
export function runForEach(
  session: WriteSession,
  query: Query<Record<string, Value>, unknown>,
  rows: object[],
): void {
  if (!session.isRemote) for (const row of rows) session.run(query, row as never)
  else if (rows.length > 0) session.run(query, { rows: rowsToJson(rows) })
}

/** For `jsonRows`: integers are written as texts, which keep their digits. */
export const rowsToJson = (rows: Iterable<object>): string =>
  JSON.stringify([...rows], (_, value) => (typeof value === 'bigint' ? `${value}` : value))

export const joinIds = (ids: Iterable<bigint>): string => [...ids].join()
