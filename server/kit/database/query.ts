// Prepared queries: written with Kysely, compiled once per engine, and run with named parameters, so that
// requests need neither the query builder nor the SQL parser.
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

type Engine = 'sqlite' | 'postgres'
/** Bytes are read as Uint8Array on both engines. */
export type Value = string | number | bigint | Uint8Array | null

/** The placeholder of a parameter during compilation. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

export interface Statement {
  /** Unique in the process; the name of PostgreSQL's prepared statement. */
  readonly name: string
  readonly sql: string
  /** Puts named parameters in the order of the statement's placeholders. */
  bind(params: Record<string, Value>): Value[]
}

/** A query with the types of its parameters and rows. Integers are read as bigint on both engines. */
export interface Query<P, Row> {
  readonly row?: Row
  readonly params?: P
  on(engine: Engine): Statement
}

/** The column type of a parameter: numbers and bigints both fit bigint columns. */
type ColumnValue<T> = T extends number ? bigint : T

/** Puts a parameter into a statement, by its name. */
export type Param<P> = <Name extends keyof P & string>(name: Name) => ColumnValue<P[Name]>

export interface Compilable<Row> {
  compile(): CompiledQuery<Row>
}

const builders = {
  sqlite: new Kysely<never>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  postgres: new Kysely<never>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
}

/** The engine that a query is compiled for, where the two differ in syntax, such as in row locks. */
export function engineOf(db: object): Engine {
  return db === builders.postgres ? 'postgres' : 'sqlite'
}

let statements = 0

/**
 * Prepares queries on the tables `Tables`.
 * `prepareQuery<P>()((db, param) => db.selectFrom(…).where('id', '=', param('id')))` returns a Query<P, Row>.
 */
export function queriesFor<Tables>() {
  return <P = Record<never, never>>() =>
    <Row>(build: (db: Kysely<Tables>, param: Param<P>) => Compilable<Row>): Query<P, Row> => {
      const compiled: Partial<Record<Engine, Statement>> = {}
      return {
        on(engine) {
          compiled[engine] ??= compile(engine, (db) =>
            // A Slot stands for the value until the statement is bound, so that Kysely compiles a placeholder.
            build(db as unknown as Kysely<Tables>, ((name: string) => new Slot(name)) as never),
          )
          return compiled[engine]
        },
      }
    }
}

type Writable<V> = V extends bigint ? bigint | number : V

/** `prepareInsert(table, columns)` prepares the insertion of a row; its parameters are named for the columns. */
export function insertsFor<Tables>() {
  return <T extends keyof Tables & string, C extends keyof Tables[T] & string>(
    table: T,
    columns: readonly C[],
  ) =>
    queriesFor<Record<string, Record<string, Value>>>()<{
      [K in C]: Writable<Tables[T][K]>
    }>()((db, param) => {
      const values = columns.map((column) => [column, param(column)])
      return db.insertInto(table).values(Object.fromEntries(values))
    })
}

function compile(engine: Engine, build: (db: Kysely<never>) => Compilable<unknown>): Statement {
  const { sql, parameters } = build(builders[engine]).compile()
  const slots = parameters.map((value) => (value instanceof Slot ? value.name : undefined))
  return {
    name: `s${++statements}`,
    sql: engine === 'sqlite' ? withPlainLimits(sql) : sql,
    bind: (params) =>
      slots.map((name, i) => (name === undefined ? parameters[i] : params[name]) as Value),
  }
}

/**
 * SQLite plans a statement for the value of a LIMIT that is a parameter alone, and so compiles it again for each run. An
 * expression is left to the run.
 */
function withPlainLimits(sql: string): string {
  return sql.replaceAll('limit ?', 'limit ? + 0')
}
