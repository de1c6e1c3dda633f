// Rows as the program uses them: columns in camel case, integers as numbers, null as undefined.
type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name
type Plain<V> = V extends bigint ? number : V extends null ? undefined : V
export type PlainRow<Row> = { [Name in keyof Row & string as CamelCase<Name>]: Plain<Row[Name]> }

/** Not for integers of 2^53 or more, which a number would round. */
export function plainRow<Row extends object>(row: Row): PlainRow<Row> {
  const fields = Object.entries(row).map(([column, value]) => [
    column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    typeof value === 'bigint' ? Number(value) : (value ?? undefined),
  ])
  return Object.fromEntries(fields)
}
