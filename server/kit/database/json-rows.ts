// Many rows in one value, as a JSON array of objects: in a parameter, so that one statement of one text handles any number
// of them, or in what a statement gives.
import { type RawBuilder, sql } from 'kysely'
import { engineOf } from './query.ts'

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
    return sql`json_to_recordset(cast(${json} as json)) as ${sql.ref(name)} (${sql.join(types)})`
  }
  const values = entries.map(([column]) => sql`value ->> ${sql.lit(column)} as ${sql.ref(column)}`)
  return sql`(select ${sql.join(values)} from json_each(${json})) as ${sql.ref(name)}`
}

/**
 * The rows of a query, which have an `id`, as a JSON array of objects by ascending id: members by name, with their column.
 * The text is the same on both engines, without white space. `order` is that of the rows.
 */
export function rowsAsJson(
  db: object,
  order: 'asc' | 'desc',
  members: Record<string, { column: string; type: 'text' | 'bigint' }>,
): RawBuilder<string> {
  const entries = Object.entries(members)
  if (engineOf(db) === 'postgres') {
    const parts = entries.map(([name, { column, type }], i) => {
      const start = sql.lit(`${i === 0 ? '{' : ','}"${name}":`)
      const value = type === 'text' ? sql`to_json(${sql.ref(column)})` : sql.ref(column)
      return sql`${start} || cast(${value} as text)`
    })
    const object = sql`${sql.join(parts, sql` || `)} || '}'`
    return sql`'[' || coalesce(string_agg(${object}, ',' order by id), '') || ']'`
  }
  const parts = entries.map(([name, { column }]) => sql`${sql.lit(name)}, ${sql.ref(column)}`)
  const object = sql`json_object(${sql.join(parts)})`
  // SQLite aggregates rows as they come.
  return order === 'asc'
    ? sql`json_group_array(${object})`
    : sql`json_group_array(${object} order by id)`
}

/** A condition: the integer `column` is one of the parameter `ids`, which `joinIds` writes. */
export function isOneOf(db: object, column: string, ids: unknown): RawBuilder<boolean> {
  return engineOf(db) === 'postgres'
    ? sql`${sql.ref(column)} = any(cast(string_to_array(${ids}, ',') as bigint[]))`
    : sql`${sql.ref(column)} in (select value from json_each('[' || ${ids} || ']'))`
}

export const joinIds = (ids: Iterable<bigint>): string => [...ids].join()
