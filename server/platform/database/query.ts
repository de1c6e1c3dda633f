// Statements are written once with Kysely, compiled once for each engine, and run many times with
// parameters by name: neither the query builder nor the SQL parser is on the way of a request.
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

export type Engine = 'sqlite' | 'postgres'
/** Bytes come back as a Uint8Array on both engines. */
export type Value = string | number | bigint | Uint8Array | null

/** A parameter's place in a statement while it is compiled. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

export interface Statement {
  /** Unique in the process; PostgreSQL's prepared statements are named by it. */
  readonly name: string
  readonly sql: string
  /** Puts named parameters in the order of the statement's placeholders. */
  bind(params: Record<string, Value>): Value[]
}

/** A statement with its parameters' and its rows' types. Whole numbers come back as bigint on both engines. */
export interface Query<P, Row> {
  readonly row?: Row
  readonly params?: P
  on(engine: Engine): Statement
}

/** A parameter as a column sees it: whole numbers are bigint there, whichever form the caller has them in. */
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

let statements = 0

/**
 * Defines statements over the tables `Tables`.
 * `prepareQuery<P>()((db, param) => db.selectFrom(…).where('id', '=', param('id')))` gives a Query<P, Row>.
 */
export function queriesFor<Tables>() {
  return <P = Record<never, never>>() =>
    <Row>(build: (db: Kysely<Tables>, param: Param<P>) => Compilable<Row>): Query<P, Row> => {
      const compiled: Partial<Record<Engine, Statement>> = {}
      return {
        on(engine) {
          compiled[engine] ??= compile(engine, (db) =>
            build(db as unknown as Kysely<Tables>, ((name: string) => new Slot(name)) as never),
          )
          return compiled[engine]
        },
      }
    }
}

function compile(engine: Engine, build: (db: Kysely<never>) => Compilable<unknown>): Statement {
  const { sql, parameters } = build(builders[engine]).compile()
  const slots = parameters.map((value) => (value instanceof Slot ? value.name : undefined))
  return {
    name: `s${++statements}`,
    sql,
    bind: (params) =>
      slots.map((name, i) => (name === undefined ? parameters[i] : params[name]) as Value),
  }
}
