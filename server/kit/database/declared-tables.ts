// Migrations, and the tables that they declare once: each column with its SQL, from which follow the statements that create
// the tables, and the types of their rows. `int64` and `bytes` stand for types that differ between the engines. A constraint
// of the table is an entry, too, such as `'primary key': '(project_id, name)'`.

/** What differs between the engines in a migration. */
export const typesOf = {
  sqlite: {
    engine: 'sqlite',
    /** A 64-bit integer. */
    int64: 'integer',
    bytes: 'blob',
    /** Ends a table definition: SQLite's STRICT enforces the types. */
    strict: 'strict',
    /** Starts the definition of a table that may be lost in a crash. */
    unloggedTable: 'table',
  },
  postgres: {
    engine: 'postgres',
    int64: 'bigint',
    bytes: 'bytea',
    strict: '',
    unloggedTable: 'unlogged table',
  },
} as const
export type Types = (typeof typesOf)[keyof typeof typesOf]

export interface Migration {
  /** Ascends; never changed once released. */
  id: number
  name: string
  sql: (types: Types) => string
}

type Columns = Readonly<Record<string, string>>
type Tables = Readonly<Record<string, Columns>>

type Values = { text: string; int64: bigint; bytes: Uint8Array }
type ValueOf<Sql> = {
  [T in keyof Values]: Sql extends `${T} not null${string}`
    ? Values[T]
    : Sql extends T | `${T} ${string}`
      ? Values[T] | null
      : never
}[keyof Values]
type RowOf<C> = {
  -readonly [Name in Exclude<keyof C, 'primary key' | 'unique'>]: ValueOf<C[Name]>
}

/** The rows of tables by their names, with the columns that a later migration adds to some of them. */
export type RowsOf<T, Added = unknown> = {
  -readonly [Name in keyof T]: RowOf<T[Name] & (Name extends keyof Added ? Added[Name] : unknown)>
}

/** `kind`: how the definition of each starts. */
export function createTables(
  tables: Tables,
  types: Types,
  kind: Types['unloggedTable'] = 'table',
): string {
  return Object.entries(tables)
    .map(([name, columns]) => {
      return `create ${kind} ${name} (${columnsOf(columns, types).join(', ')}) ${types.strict};\n`
    })
    .join('')
}

export function addColumns(tables: Tables, types: Types): string {
  return Object.entries(tables)
    .flatMap(([name, columns]) =>
      columnsOf(columns, types).map((column) => `alter table ${name} add column ${column};\n`),
    )
    .join('')
}

const columnsOf = (columns: Columns, types: Types): string[] =>
  Object.entries(columns).map(([name, sql]) => {
    const own = sql.replace(/^(?:int64|bytes)\b/, (type) => types[type as 'int64' | 'bytes'])
    return `${name} ${own}`
  })
