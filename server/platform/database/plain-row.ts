// Rows as the program uses them: columns in camel case, integers as numbers, null as undefined.
type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name
type Plain<V> = V extends bigint ? number : V extends null ? undefined : V
export type PlainRow<Row> = { [Name in keyof Row & string as CamelCase<Name>]: Plain<Row[Name]> }

const names = new Map<string, string>()

function camelCase(column: string): string {
  let name = names.get(column)
  if (name === undefined) {
    name = column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    names.set(column, name)
  }
  return name
}

/** Not for integers of 2^53 or more, which a number would round. */
export function plainRow<Row extends object>(row: Row): PlainRow<Row> {
  const plain: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(row)) {
    plain[camelCase(column)] = typeof value === 'bigint' ? Number(value) : (value ?? undefined)
  }
  return plain as PlainRow<Row>
}
