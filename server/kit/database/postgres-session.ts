// Runs statements on PostgreSQL connections with time-outs, and maps errors.
import pg from 'pg'
import type { Clock } from '../clock.ts'
import { AppError, unavailable } from '../errors.ts'
import { within } from '../within.ts'
import type { Session } from './database.ts'
import type { PipelinedStatement } from './postgres-pipeline.ts'
import type { PostgresServers } from './postgres-servers.ts'
import type { Query, Value } from './query.ts'

export interface PostgresOptions {
  url: string
  schema: string
  /** Connections for reads; there is one more for writes. */
  readers: number
  /** The longest wait of a write, in milliseconds. */
  timeoutMs: number
  /** `off`: for what may be lost in a crash of the server. */
  durability: 'full' | 'off'
  /** Instead of the server's clock, by tests that set the time. */
  clock?: Clock | undefined
  /** Shared with the other databases of the process; its own without it. */
  servers?: PostgresServers | undefined
  onError: (error: Error) => void
}

const int8 = 20

/** Integers as bigint, as with SQLite. */
export const types = {
  getTypeParser: (oid: number, format?: string) =>
    oid === int8 ? BigInt : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

/** A client, or a queue of statements. */
interface Connection<Q = PipelinedStatement> {
  query(query: Q): Promise<{ rows: unknown[] }>
}

/** Each statement ends before the write that it belongs to is rejected. */
export const statementMsWithin = (timeoutMs: number): number => timeoutMs - 300

/** `withinMs` is the time-out of each statement. */
export function createSession(connection: Connection, withinMs: number): Session {
  // The driver types rows loosely; the query's own type says what its statement selects.
  return {
    all: (query, params) => send(connection, statementOf(query, params), withinMs) as never,
    tuples: (query, params) =>
      send(connection, statementOf(query, params, 'array'), withinMs) as never,
  }
}

export function statementOf(
  query: Query<unknown, unknown>,
  params: unknown,
  rowMode?: 'array',
): PipelinedStatement {
  const { bind, name, sql: text } = query.on('postgres')
  const values = bind(params as Record<string, Value>)
  return { name, text, values, ...(rowMode && { rowMode }) }
}

/** Runs a statement and returns its rows. Throws `unavailable` for errors that may be transient. */
export async function send<Q>(
  connection: Connection<Q>,
  query: Q,
  withinMs: number,
): Promise<unknown[]> {
  try {
    return (await withinDeadline(connection.query(query), withinMs)).rows
  } catch (error) {
    throw asUnavailable(error)
  }
}

/** Limits the total of the waits for a free connection and for its response, which have their own limits. */
export const withinDeadline = <T>(promise: Promise<T>, withinMs: number): Promise<T> =>
  within(withinMs, promise, () => {
    throw unavailable('query deadline')
  })

// SQLSTATE classes (PostgreSQL, appendix A) of transient errors.
const transientClasses = new Set(['08', '25', '40', '53', '55', '57', '58'])

export function asUnavailable(error: unknown): unknown {
  // Errors thrown by a write itself also have a code, but do not come from the database.
  if (!(error instanceof Error) || error instanceof AppError) return error
  const code = (error as { code?: unknown }).code
  if (error instanceof pg.DatabaseError) {
    return transientClasses.has(String(code).slice(0, 2)) ? unavailable(error) : error
  }
  // No SQLSTATE: an error of the socket or the pool, or a time-out of the driver.
  if (
    typeof code === 'string' ||
    /timeout|terminated|not queryable|Connection/.test(error.message)
  ) {
    return unavailable(error)
  }
  return error
}
