// Runs statements on a SQLite connection, takes its write lock, and maps errors.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { AppError, outcomeUnknown, unavailable } from '../errors.ts'
import type { CommitGate } from './commit-gate.ts'
import type { Session, WriteSession } from './database.ts'
import type { Query, Statement, Value } from './query.ts'

// SQLite's primary result codes (https://sqlite.org/rescode.html) of transient errors.
const busy = 5
const ioError = 10
const transientCodes = new Set([
  busy,
  6 /* locked */,
  8 /* readonly */,
  ioError,
  13 /* full */,
  14 /* cantopen */,
])

/**
 * Takes the write lock; retries with a timer while another process holds it. Throws `unavailable` once the gate has
 * stopped the transaction.
 */
export async function beginImmediate(
  connection: DatabaseSync,
  withinMs: number,
  gate?: CommitGate,
): Promise<void> {
  const deadline = performance.now() + withinMs
  for (;;) {
    gate?.check()
    try {
      return connection.exec('begin immediate')
    } catch (error) {
      if (resultCode(error) !== busy || performance.now() > deadline) throw error
    }
    await delay(1)
  }
}

/**
 * Commits. An error of the disk is `outcome_unknown`: the log may have the whole transaction without its confirmation,
 * and a restart would find it. After any other error nothing was changed.
 */
export function commitTransaction(connection: DatabaseSync, gate?: CommitGate): void {
  gate?.enter()
  try {
    connection.exec('commit')
  } catch (error) {
    throw resultCode(error) === ioError ? outcomeUnknown(error) : error
  }
}

export function createSession(connection: DatabaseSync): Session {
  const runnerOf = (returnsArrays: boolean) => {
    const prepared = new Map<Statement, StatementSync>()
    return <P, Row>(query: Query<P, Row>, params: P) => {
      const statement = query.on('sqlite')
      try {
        let ready = prepared.get(statement)
        if (!ready) {
          ready = connection.prepare(statement.sql)
          ready.setReadBigInts(true)
          if (returnsArrays) ready.setReturnArrays(true)
          prepared.set(statement, ready)
        }
        // The drivers type rows loosely; the query's own type says what its statement selects.
        return ready.all(...statement.bind(params as Record<string, Value>)) as never
      } catch (error) {
        throw asUnavailable(error)
      }
    }
  }
  return { all: runnerOf(false), tuples: runnerOf(true) }
}

/** Statements have run when `run` returns, and their errors are thrown by it. */
export function createWriteSession(connection: DatabaseSync, announce: () => void): WriteSession {
  const session = createSession(connection)
  return { ...session, run: (query, params) => void session.tuples(query, params), announce }
}

/** Another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === busy
}

function resultCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown }).errcode
  return typeof code === 'number' ? code & 0xff : undefined
}

export function asUnavailable(error: unknown): unknown {
  if (error instanceof AppError) return error
  return transientCodes.has(resultCode(error) ?? -1) ? unavailable(error) : error
}
