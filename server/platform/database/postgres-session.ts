// Statements on a connection to PostgreSQL, their limit in time, and what its errors mean.
import pg from 'pg'
import { AppError, unavailable } from '../errors.ts'
import type { Session } from './database.ts'
import { answerWithinMs } from './group-commit.ts'
import type { Query, Value } from './query.ts'

export interface PostgresOptions {
  url: string
  schema: string
  /** Connections that read; one more writes. */
  readers?: number
  onError: (error: Error) => void
}

const int8 = 20
/** For whatever a request waits for. */
export const limitMs = answerWithinMs - 300

/** Whole numbers as bigint, as SQLite gives them. */
export const types = {
  getTypeParser: (oid: number, format?: string) =>
    oid === int8 ? BigInt : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

export type Connection = Pick<pg.PoolClient, 'query'>

/** `within` bounds each statement; a request's own bound without it. */
export function createSession(connection: pg.Pool | Connection, within = limitMs): Session {
  const run = async (query: Query<unknown, unknown>, params: unknown, rowMode?: 'array') => {
    const { name, sql: text, bind } = query.on('postgres')
    const values = bind(params as Record<string, Value>)
    return await send(
      connection as Connection,
      { name, text, values, ...(rowMode ? { rowMode } : {}) } as pg.QueryConfig,
      within,
    )
  }
  return {
    all: (query, params) => run(query, params) as never,
    tuples: (query, params) => run(query, params, 'array') as never,
  }
}

/** Runs a statement and gives its rows. Throws `unavailable` where another attempt may help. */
export async function send(
  connection: Connection,
  query: pg.QueryConfig | string,
  within = limitMs,
): Promise<unknown[]> {
  try {
    return (await withinDeadline(connection.query(query), within)).rows
  } catch (error) {
    throw asUnavailable(error)
  }
}

/** Waiting for a free connection and for its answer are limited apart; this limits their sum. */
function withinDeadline<T>(promise: Promise<T>, within: number): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable('query deadline')), within)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

// SQLSTATE classes (PostgreSQL, appendix A) that mean: not now, not: never.
const transientClasses = new Set(['08', '25', '40', '53', '55', '57', '58'])

export function asUnavailable(error: unknown): unknown {
  // What a work has thrown by itself has a code, too, and is none of the database's.
  if (!(error instanceof Error) || error instanceof AppError) return error
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
