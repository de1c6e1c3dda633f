// PostgreSQL behind the Database interface: a schema of its own, a pool that reads, a pool that writes.
// Every wait has a limit, so that a server that is gone or hangs is a 503 in less than two seconds.
import pg from 'pg'
import { unavailable } from '../errors.ts'
import type { Database, Session } from './database.ts'
import { answerWithinMs, GroupCommit, type Transaction } from './group-commit.ts'
import type { Query, Value } from './query.ts'

const int8 = 20
const limitMs = answerWithinMs - 300

export interface PostgresOptions {
  url: string
  schema: string
  /** Connections that read; one more writes. */
  readers?: number
  onError: (error: Error) => void
}

export function openPostgres(options: PostgresOptions): Database {
  const pool = (max: number): pg.Pool => createPool(options, max)
  const readers = pool(options.readers ?? 8)
  const writers = pool(1)

  const commits = new GroupCommit(async (body) => {
    const client = await connect(writers)
    let broken: Error | undefined
    const breaks = (error: Error): void => {
      broken = error
    }
    // The pool listens to idle connections only; one that is lost between two statements says so here.
    client.on('error', breaks)
    try {
      await send(client, 'begin')
      const value = await body(createTransaction(client))
      await send(client, 'commit')
      return value
    } catch (error) {
      const failure = asUnavailable(error)
      // A connection that may be mid-statement is not used again; the server rolls back when it goes.
      await client.query('rollback').catch(breaks)
      throw failure
    } finally {
      client.off('error', breaks)
      client.release(broken)
    }
  })

  return {
    engine: 'postgres',
    read: createSession(readers),
    write: (work, input) => commits.write(work, input),
    changeCounter: () => undefined,
    async close() {
      await commits.idle()
      await Promise.all([readers.end(), writers.end()])
    },
  }
}

/** A pool whose connections find their tables in `schema` and give up in time. */
export function createPool({ url, schema, onError }: PostgresOptions, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    options: `-c search_path=${schema} -c synchronous_commit=on`,
    application_name: `animal-store ${schema}`,
    connectionTimeoutMillis: limitMs,
    query_timeout: limitMs,
    statement_timeout: limitMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    types: {
      getTypeParser: (oid: number, format?: string) =>
        oid === int8 ? BigInt : pg.types.getTypeParser(oid, format as 'text'),
    } as pg.CustomTypesConfig,
  })
  // An idle connection that breaks says so here; the next request opens another.
  pool.on('error', onError)
  return pool
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw unavailable(error)
  }
}

type Connection = Pick<pg.PoolClient, 'query'>

function createSession(connection: pg.Pool | Connection): Session {
  const run = async (query: Query<unknown, unknown>, params: unknown, rowMode?: 'array') => {
    const { name, sql: text, bind } = query.on('postgres')
    const values = bind(params as Record<string, Value>)
    return await send(
      connection as Connection,
      { name, text, values, ...(rowMode ? { rowMode } : {}) } as pg.QueryConfig,
    )
  }
  return {
    all: (query, params) => run(query, params) as never,
    tuples: (query, params) => run(query, params, 'array') as never,
  }
}

function createTransaction(client: pg.PoolClient): Transaction {
  return {
    ...createSession(client),
    async nested(part) {
      await send(client, 'savepoint part')
      try {
        const value = await part()
        await send(client, 'release part')
        return value
      } catch (error) {
        await send(client, 'rollback to part; release part')
        throw error
      }
    },
  }
}

async function send(connection: Connection, query: pg.QueryConfig | string): Promise<unknown[]> {
  try {
    return (await withinDeadline(connection.query(query))).rows
  } catch (error) {
    throw asUnavailable(error)
  }
}

/** Waiting for a free connection and for its answer are limited apart; this limits their sum. */
function withinDeadline<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('query deadline')), limitMs)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

// SQLSTATE classes (PostgreSQL, appendix A) that mean: not now, not: never.
const transientClasses = new Set(['08', '25', '40', '53', '55', '57', '58'])

function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = (error as { code?: unknown }).code
  if (error instanceof pg.DatabaseError) {
    return transientClasses.has(String(code).slice(0, 2)) ? unavailable(error) : error
  }
  // No SQLSTATE: the socket, the pool or the driver's time-out.
  if (
    typeof code === 'string' ||
    /timeout|terminated|not queryable|Connection/.test(error.message)
  ) {
    return unavailable(error)
  }
  return error
}
