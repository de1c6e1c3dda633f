// The Database interface on PostgreSQL: one schema, a pool for reads and a pool for writes. All waits have
// time-outs, so that an unavailable server leads to a 503 in time.
import pg from 'pg'
import { systemClock } from '../clock.ts'
import { type AppError, isDatabaseOutage, unavailable } from '../errors.ts'
import type { Database } from './database.ts'
import { GroupCommit, type RunTransaction } from './group-commit.ts'
import {
  clientOf,
  createPostgresServers,
  isReadOnlyError,
  type PostgresServers,
  ReadOnlyServerError,
  setUpSession,
} from './postgres-servers.ts'
import {
  asUnavailable,
  createSession,
  type PostgresOptions,
  statementMsWithin,
  types,
} from './postgres-session.ts'
import { openPostgresStaging } from './postgres-staging.ts'
import { createTransaction } from './postgres-transaction.ts'
import { createStatementQueue } from './statement-queue.ts'

export function openPostgres(options: PostgresOptions): Database {
  const { onError, timeoutMs, url } = options
  const statementMs = statementMsWithin(timeoutMs)
  const { servers = createPostgresServers(url, statementMs) } = options
  const pool = (max: number): pg.Pool => createPool(servers, options, max, statementMs)
  let readers = pool(options.readers)
  let writers = pool(1)
  servers.onChange(() => {
    for (const before of [readers, writers]) before.end().catch(onError)
    readers = pool(options.readers)
    writers = pool(1)
  })

  const run: RunTransaction = async (gate, body) => {
    const client = await connect(writers)
    const transaction = createTransaction(client, {
      withinMs: statementMs,
      announce: () => commits.announce(),
    })
    let broken: Error | undefined
    const breaks = (error: Error): void => {
      broken = error
    }
    let isReleased = false
    const release = (): void => {
      if (!isReleased) client.release(broken)
      isReleased = true
    }
    // The pool handles errors of idle connections only; this handles a connection lost between statements.
    client.on('error', breaks)
    gate.onStop(() => {
      breaks(new Error('transaction deadline'))
      release()
    })
    try {
      gate.check()
      const value = await body(transaction)
      await transaction.commit(gate)
      return value
    } catch (error) {
      const failure = asUnavailable(error)
      // The server became a standby: the next connection finds the one that takes its place.
      if (isReadOnlyError(error)) {
        breaks(error)
        servers.forget()
      }
      // A connection that may still run a statement is not reused; closing it rolls back.
      if (isSilent(failure)) {
        breaks(failure)
        // A primary of before waits for its standby in vain, if that was promoted.
        servers.forget()
      } else await transaction.rollback().catch(breaks)
      throw failure
    } finally {
      release()
      client.off('error', breaks)
    }
  }
  const commits = new GroupCommit(options.timeoutMs, run)

  const { changes, reads } = createStatementQueue(() => readers, options.readers)
  const alone = createSession(changes, statementMs)

  return {
    engine: 'postgres',
    clock: options.clock === systemClock ? undefined : options.clock,
    read: { ...createSession(reads, statementMs), isRemote: true },
    write: (work, input) => commits.write(work, input),
    execute: async (query, params) => await alone.all(query, params),
    changeCounter: () => undefined,
    openStaging: (columns) => openPostgresStaging(options, columns),
    onAnnouncement: (listener) => commits.onAnnouncement(listener),
    async close() {
      await commits.idle()
      await Promise.all([readers.end(), writers.end()])
    },
  }
}

/** A pool for tables in `schema`, whose waits end after `withinMs`. */
function createPool(
  servers: PostgresServers,
  { schema, onError }: PostgresOptions,
  max: number,
  withinMs: number,
): pg.Pool {
  const pool = new pg.Pool({
    connectionString: servers.url,
    Client: clientOf(servers) as never,
    onConnect: (client) =>
      setUpSession(client, servers.mustWrite, {
        search_path: schema,
        synchronous_commit: 'on',
        statement_timeout: withinMs,
        // A transaction whose client is gone holds its locks, and could still be committed.
        idle_in_transaction_session_timeout: withinMs,
      }).catch((error) => {
        if (error instanceof ReadOnlyServerError) servers.forget()
        throw error
      }),
    max,
    application_name: `animal-store ${schema}`,
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    types,
  })
  // For idle connections that break; the next request opens a new one. The pool adds the client to the error, which has
  // more than belongs in a log.
  pool.on('error', (error) => {
    Reflect.deleteProperty(error, 'client')
    onError(error)
  })
  return pool
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw unavailable(error)
  }
}

/** Whether the server has not answered a statement, not even with an error. */
function isSilent(failure: unknown): failure is AppError {
  return isDatabaseOutage(failure) && !((failure as AppError).cause instanceof pg.DatabaseError)
}
