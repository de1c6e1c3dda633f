// Prepared queries: written with Kysely, compiled once per engine, and run with named parameters, so that
// requests need neither the query builder nor the SQL parser.
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryExecutorProvider,
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

/** A query of the builder, or `sql`. */
export interface Compilable<Row> {
  compile(db: QueryExecutorProvider): CompiledQuery<Row>
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

export type Writable<V> = V extends bigint ? bigint | number : V

/** For some columns of a table: the name of a parameter, or a value that is always the same. */
type Terms<Row> = { [C in keyof Row]?: string | bigint | null | { value: Row[C] & string } }
/** `add`: a parameter or a number that is added to what the row has. */
type Changes<Row> = { [C in keyof Row]?: Terms<Row>[C] | { add: string | bigint } }
type OnlyColumns<Row, T> = T & Record<Exclude<keyof T, keyof Row>, never>
type ParamsOf<Row, T> = {
  [C in keyof T & keyof Row as T[C] extends string | { add: infer Name extends string }
    ? T[C] extends string
      ? T[C]
      : Name
    : never]: Writable<Row[C]>
}

/**
 * Prepares statements on one table whose conditions are equalities: `prepare.update('projects', { name: 'title' },
 * { id: 'project' })` has the parameters `title` and `project`; `{ state: { value: 'removed' }, lease: null }` has none.
 */
interface Statements<Tables, Name extends keyof Tables = keyof Tables> {
  /** Inserts a row, or sets the other columns of the one that has this key. */
  upsert<T extends Name, const K extends Terms<Tables[T]>, const S extends Terms<Tables[T]>>(
    table: T,
    key: OnlyColumns<Tables[T], K>,
    set: OnlyColumns<Tables[T], S>,
  ): Query<ParamsOf<Tables[T], K> & ParamsOf<Tables[T], S>, never>
  select<T extends Name, C extends keyof Tables[T], const W extends Terms<Tables[T]>>(
    table: T,
    columns: 'all' | readonly C[],
    where: OnlyColumns<Tables[T], W>,
  ): Query<ParamsOf<Tables[T], W>, Pick<Tables[T], C>>
  count<T extends Name, const W extends Terms<Tables[T]>>(
    table: T,
    where: OnlyColumns<Tables[T], W>,
  ): Query<ParamsOf<Tables[T], W>, { count: bigint }>
  update<
    T extends Name,
    const S extends Changes<Tables[T]>,
    const W extends Terms<Tables[T]>,
    C extends keyof Tables[T] = never,
  >(
    table: T,
    set: OnlyColumns<Tables[T], S>,
    where: OnlyColumns<Tables[T], W>,
    returning?: readonly C[],
  ): Query<ParamsOf<Tables[T], S> & ParamsOf<Tables[T], W>, Pick<Tables[T], C>>
  delete<T extends Name, const W extends Terms<Tables[T]>, C extends keyof Tables[T] = never>(
    table: T,
    where: OnlyColumns<Tables[T], W>,
    returning?: readonly C[],
  ): Query<ParamsOf<Tables[T], W>, Pick<Tables[T], C>>
}

type Row = Record<string, Value>
const prepareRow = queriesFor<Record<string, Row>>()<Row>()
const statementsOnRows = {
  upsert: (table: string, key: object, set: object) =>
    prepareRow((db, param) =>
      db
        .insertInto(table)
        .values({ ...valuesOf(key, param), ...valuesOf(set, param) })
        .onConflict((conflict) =>
          conflict.columns(Object.keys(key)).doUpdateSet(valuesOf(set, param)),
        ),
    ),
  select: (table: string, columns: 'all' | string[], where: object) =>
    prepareRow((db, param) => {
      const rows = db.selectFrom(table).where((eb) => eb.and(valuesOf(where, param)))
      return columns === 'all' ? rows.selectAll() : rows.select(columns)
    }),
  count: (table: string, where: object) =>
    prepareRow((db, param) =>
      db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll().as('count'))
        .where((eb) => eb.and(valuesOf(where, param))),
    ),
  update: (table: string, set: object, where: object, returning: string[] = []) =>
    prepareRow((db, param) =>
      db
        .updateTable(table)
        .set((eb) => valuesOf(set, param, (column, value) => eb(column, '+', value)))
        .where((eb) => eb.and(valuesOf(where, param)))
        .$if(returning.length > 0, (query) => query.returning(returning)),
    ),
  delete: (table: string, where: object, returning: string[] = []) =>
    prepareRow((db, param) =>
      db
        .deleteFrom(table)
        .where((eb) => eb.and(valuesOf(where, param)))
        .$if(returning.length > 0, (query) => query.returning(returning)),
    ),
}

export const statementsFor = <Tables>(): Statements<Tables> => statementsOnRows as never

function valuesOf(
  terms: object,
  param: Param<Row>,
  plus?: (column: string, value: Value) => unknown,
): Row {
  const resolve = (term: string | Value) => (typeof term === 'string' ? param(term) : term)
  return Object.fromEntries(
    Object.entries(terms).map(([column, term]) => [
      column,
      term?.add === undefined ? (term?.value ?? resolve(term)) : plus?.(column, resolve(term.add)),
    ]),
  )
}

function compile(engine: Engine, build: (db: Kysely<never>) => Compilable<unknown>): Statement {
  const { sql, parameters } = build(builders[engine]).compile(builders[engine])
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
