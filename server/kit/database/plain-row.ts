// Rows as the program uses them: columns in camel case, integers as numbers.
import { findOne, type Session } from './database.ts'
import type { Query } from './query.ts'

export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name
type Plain<V> = V extends bigint ? number : V extends null ? undefined : V
type Stored<V> = V extends bigint ? number : V

/** With undefined for null. */
export type PlainRow<Row> = { [Name in keyof Row & string as CamelCase<Name>]: Plain<Row[Name]> }
/** With null, as the parameters of a statement have it. */
export type StoredRow<Row> = { [Name in keyof Row & string as CamelCase<Name>]: Stored<Row[Name]> }

const names = new Map<string, string>()

function camelCase(column: string): string {
  return names.getOrInsertComputed(column, (name) =>
    name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  )
}

export function snakeCase(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

const rowsWith =
  (missing: null | undefined) =>
  (row: object): never => {
    const fields: Record<string, unknown> = {}
    for (const [column, value] of Object.entries(row)) {
      fields[camelCase(column)] = typeof value === 'bigint' ? Number(value) : (value ?? missing)
    }
    return fields as never
  }

/** Not for integers of 2^53 or more, which a number would round. */
export const plainRow: <Row extends object>(row: Row) => PlainRow<Row> = rowsWith(undefined)

/** Like plainRow, with null. */
export const storedRow: <Row extends object>(row: Row) => StoredRow<Row> = rowsWith(null)

/** The first row by plainRow, or undefined. */
export async function findPlain<P, Row extends object>(
  session: Session,
  query: Query<P, Row>,
  params: P,
): Promise<PlainRow<Row> | undefined> {
  const row = await findOne(session, query, params)
  return row && plainRow(row)
}

/** The first row by storedRow, or undefined. */
export async function findStored<P, Row extends object>(
  session: Session,
  query: Query<P, Row>,
  params: P,
): Promise<StoredRow<Row> | undefined> {
  const row = await findOne(session, query, params)
  return row && storedRow(row)
}

/** For `values` and `set`: each column with the parameter of its field. */
export function assignments<const Column extends string>(
  columns: readonly Column[],
  param: (field: CamelCase<Column>) => unknown,
): Record<Column, never> {
  const values = columns.map((column) => [column, param(camelCase(column) as CamelCase<Column>)])
  return Object.fromEntries(values)
}
