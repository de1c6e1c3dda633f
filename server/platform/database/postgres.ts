// PostgreSQL behind the Database interface: a schema of its own, a pool that reads, a pool that writes.
// Every wait has a limit, so that a server that is gone or hangs is a 503 in less than two seconds.
import pg from 'pg'
import { unavailable } from '../errors.ts'
import type { Database } from './database.ts'
import { GroupCommit, type Transaction } from './group-commit.ts'
import {
  asUnavailable,
  createSession,
  limitMs,
  type PostgresOptions,
  send,
  types,
} from './postgres-session.ts'
import { openPostgresStaging } from './postgres-staging.ts'

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
      const announce = (): void => commits.announce()
      const value = await body({ ...createTransaction(client), announce })
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
    openStaging: (columns) => openPostgresStaging(options, columns),
    onAnnouncement: (listener) => commits.onAnnouncement(listener),
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
    types,
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
