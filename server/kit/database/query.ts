// Prepared queries: written with Kysely, compiled once per engine, and run with named parameters, so that
// requests need neither the query builder nor the SQL parser.
import {
  type ComparisonOperatorExpression,
  type CompiledQuery,
  DummyDriver,
  type Expression,
  type ExpressionBuilder,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  type QueryExecutorProvider,
  type SqlBool,
  SqliteAdapter,
  SqliteQueryCompiler,
} from 'kysely'

export type Engine = 'sqlite' | 'postgres'
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

/** Only compiles: it has no connection, and nothing to introspect. */
const builderOf = (
  Adapter: typeof SqliteAdapter | typeof PostgresAdapter,
  Compiler: typeof SqliteQueryCompiler | typeof PostgresQueryCompiler,
) =>
  new Kysely<never>({
    dialect: {
      createAdapter: () => new Adapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: () => undefined as never,
      createQueryCompiler: () => new Compiler(),
    },
  })

const builders = {
  sqlite: builderOf(SqliteAdapter, SqliteQueryCompiler),
  postgres: builderOf(PostgresAdapter, PostgresQueryCompiler),
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

/**
 * A query of SQL in which parameters stand as `:name`: one whose parts are put together at a request, for which the builder
 * would take too long.
 */
export function queryOfText<P, Row>(texts: Record<Engine, string>): Query<P, Row> {
  const compiled: Partial<Record<Engine, Statement>> = {}
  return {
    on(engine) {
      const cached = compiled[engine]
      if (cached) return cached
      const [start = '', ...parts] = texts[engine].split(/:(\w+)/)
      const names: string[] = []
      let sql = start
      for (let i = 0; i < parts.length; i += 2) {
        const place = names.push(parts[i] as string)
        sql += (engine === 'sqlite' ? '?' : `$${place}`) + parts[i + 1]
      }
      const statement = statementOf(engine, sql, names, [])
      compiled[engine] = statement
      return statement
    },
  }
}

export type Writable<V> = V extends bigint ? bigint | number : V

/** The name of a parameter, or a value that is always the same. */
type Term<V> = string | bigint | null | { value: V & string }
type Terms<Row> = { [C in keyof Row]?: Term<Row[C]> }
/** `add`: a parameter or a number that is added to what the row has. */
type Changes<Row> = { [C in keyof Row]?: Term<Row[C]> | { add: string | bigint } }
type Operator = '<' | '<=' | '>' | '>=' | '!=' | 'is not'
/** Equalities, other comparisons, or some values. */
type Conditions<Row> = {
  [C in keyof Row]?:
    | Term<Row[C]>
    | { [O in Operator]?: Term<Row[C]> }
    | { in: readonly (Row[C] & string)[] }
}
export type OnlyColumns<Row, T> = T & Record<Exclude<keyof T, keyof Row>, never>
type ParamOf<T> = T extends string
  ? T
  : T extends { value: unknown } | null | bigint
    ? never
    : Extract<T[keyof T], string>
type ParamsOf<Row, T> = {
  [C in keyof T & keyof Row as ParamOf<T[C]>]: Writable<Row[C]>
}
/** `limit`: the name of a parameter, or a number. */
interface Page<Row, L> {
  orderBy?: readonly `${keyof Row & string}${'' | ' desc'}`[]
  limit?: L
}

/**
 * Prepares statements on one table: `prepare.update('projects', { name: 'title' }, { id: 'project' })` has the parameters
 * `title` and `project`; `{ state: { value: 'removed' }, lease: null }` has none; `{ expires_at: { '>': 'now' } }` compares.
 */
interface Statements<Tables, Name extends keyof Tables = keyof Tables> {
  /** Inserts a row, or sets columns of the one that has this key. `initial`: what only a new row gets. */
  upsert<
    T extends Name,
    const K extends Terms<Tables[T]>,
    const S extends Terms<Tables[T]>,
    const I extends Terms<Tables[T]> = Record<never, never>,
  >(
    table: T,
    key: OnlyColumns<Tables[T], K>,
    set: OnlyColumns<Tables[T], S>,
    initial?: OnlyColumns<Tables[T], I>,
  ): Query<ParamsOf<Tables[T], K> & ParamsOf<Tables[T], S> & ParamsOf<Tables[T], I>, never>
  select<
    T extends Name,
    C extends keyof Tables[T],
    const W extends Conditions<Tables[T]>,
    const L extends string | number = never,
  >(
    table: T,
    columns: 'all' | readonly C[],
    where: OnlyColumns<Tables[T], W>,
    page?: Page<Tables[T], L>,
  ): Query<ParamsOf<Tables[T], W> & Record<L & string, number>, Pick<Tables[T], C>>
  count<T extends Name, const W extends Conditions<Tables[T]>>(
    table: T,
    where: OnlyColumns<Tables[T], W>,
  ): Query<ParamsOf<Tables[T], W>, { count: bigint }>
  update<
    T extends Name,
    const S extends Changes<Tables[T]>,
    const W extends Conditions<Tables[T]>,
    C extends keyof Tables[T] = never,
  >(
    table: T,
    set: OnlyColumns<Tables[T], S>,
    where: OnlyColumns<Tables[T], W>,
    returning?: readonly C[],
  ): Query<ParamsOf<Tables[T], S> & ParamsOf<Tables[T], W>, Pick<Tables[T], C>>
  delete<T extends Name, const W extends Conditions<Tables[T]>, C extends keyof Tables[T] = never>(
    table: T,
    where: OnlyColumns<Tables[T], W>,
    returning?: readonly C[],
  ): Query<ParamsOf<Tables[T], W>, Pick<Tables[T], C>>
}

type Row = Record<string, Value>
const prepareRow = queriesFor<Record<string, Row>>()<Row>()
const statementsOnRows = {
  upsert: (table: string, key: object, set: object, initial: object = {}) =>
    prepareRow((db, param) =>
      db
        .insertInto(table)
        .values(valuesOf({ ...key, ...set, ...initial }, param))
        .onConflict((conflict) =>
          conflict.columns(Object.keys(key)).doUpdateSet(valuesOf(set, param)),
        ),
    ),
  select: (table: string, columns: 'all' | string[], where: object, page: AnyPage = {}) =>
    prepareRow((db, param) => {
      const { limit, orderBy = [] } = page
      const selection = db.selectFrom(table).where(areTrue(where, param))
      let rows = columns === 'all' ? selection.selectAll() : selection.select(columns)
      for (const term of orderBy) {
        const [column = '', direction] = term.split(' ')
        rows = rows.orderBy(column, direction as 'desc' | undefined)
      }
      if (limit === undefined) return rows
      return rows.limit(typeof limit === 'string' ? (param(limit) as bigint) : limit)
    }),
  count: (table: string, where: object) =>
    prepareRow((db, param) =>
      db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll().as('count'))
        .where(areTrue(where, param)),
    ),
  update: (table: string, set: object, where: object, returning: string[] = []) =>
    prepareRow((db, param) =>
      db
        .updateTable(table)
        .set((eb) => valuesOf(set, param, (column, value) => eb(column, '+', value)))
        .where(areTrue(where, param))
        .$if(returning.length > 0, (query) => query.returning(returning)),
    ),
  delete: (table: string, where: object, returning: string[] = []) =>
    prepareRow((db, param) =>
      db
        .deleteFrom(table)
        .where(areTrue(where, param))
        .$if(returning.length > 0, (query) => query.returning(returning)),
    ),
}

type AnyPage = { orderBy?: string[]; limit?: string | number }

export const statementsFor = <Tables>(): Statements<Tables> => statementsOnRows as never

const isTerm = (term: unknown): boolean =>
  typeof term !== 'object' || term === null || 'value' in term
const resolve = (term: string | bigint | null | { value: string }, param: Param<Row>): Value => {
  if (typeof term === 'string') return param(term)
  return typeof term === 'object' ? (term?.value ?? null) : term
}

function valuesOf(
  terms: object,
  param: Param<Row>,
  plus?: (column: string, value: Value) => unknown,
): Row {
  const values = Object.entries(terms).map(([column, term]) => {
    const value = isTerm(term) ? resolve(term, param) : plus?.(column, resolve(term.add, param))
    return [column, value]
  })
  return Object.fromEntries(values)
}

const areTrue =
  (where: object, param: Param<Row>) =>
  (eb: ExpressionBuilder<Record<string, Row>, string>): Expression<SqlBool> =>
    eb.and(
      Object.entries(where).flatMap(([column, term]) =>
        Object.entries(isTerm(term) ? { [term === null ? 'is' : '=']: term } : term).map(
          ([operator, operand]) =>
            eb(
              column,
              operator as ComparisonOperatorExpression,
              Array.isArray(operand) ? operand : resolve(operand as string, param),
            ),
        ),
      ),
    )

function compile(engine: Engine, build: (db: Kysely<never>) => Compilable<unknown>): Statement {
  const { sql, parameters } = build(builders[engine]).compile(builders[engine])
  const slots = parameters.map((value) => (value instanceof Slot ? value.name : undefined))
  return statementOf(engine, sql, slots, parameters)
}

/** `slots` are the names of parameters, undefined for one of the `constants`. */
function statementOf(
  engine: Engine,
  sql: string,
  slots: readonly (string | undefined)[],
  constants: readonly unknown[],
): Statement {
  return {
    name: `s${++statements}`,
    // SQLite plans a statement for the value of a LIMIT that is a parameter alone, and so compiles it again for each run. An
    // expression is left to the run.
    sql: engine === 'sqlite' ? sql.replaceAll('limit ?', 'limit ? + 0') : sql,
    bind(params) {
      const values = constants.slice() as Value[]
      for (let i = 0; i < slots.length; i++) {
        const name = slots[i]
        if (name !== undefined) values[i] = params[name] as Value
      }
      return values
    },
  }
}
