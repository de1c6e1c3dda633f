// Rows as objects with a field for each column: `issued_at` becomes `issuedAt`, and integers become numbers.

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

export type PlainRow<Row> = {
  [Column in keyof Row & string as CamelCase<Column>]:
    | Exclude<Row[Column], bigint>
    | (bigint extends Row[Column] ? number : never)
}

/** Not for integers beyond 2^53. */
export function toPlainRow<Row extends object>(row: Row): PlainRow<Row> {
  const fields = Object.entries(row).map(([column, value]) => [
    camelCase(column),
    typeof value === 'bigint' ? Number(value) : value,
  ])
  return Object.fromEntries(fields)
}

/** For `values` and `set`: each column with the parameter of its field. */
export function assignments<const Column extends string>(
  columns: readonly Column[],
  param: (field: CamelCase<Column>) => unknown,
): Record<Column, never> {
  const values = columns.map((column) => [column, param(camelCase(column))])
  return Object.fromEntries(values)
}

function camelCase<Name extends string>(name: Name): CamelCase<Name> {
  return name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>
}
