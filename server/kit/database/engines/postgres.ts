// The Database interface on PostgreSQL: one schema, a pool for reads and a pool for writes. All waits have time-outs, so
// that an unavailable server leads to a 503 in time.
import pg from 'pg'
import { systemClock } from '../../clock.ts'
import { type AppError, isDatabaseOutage, unavailable } from '../../errors.ts'
import type { Database, StagedColumns, Staging } from '../database.ts'
import type { Value } from '../query.ts'
import { GroupCommit, type RunTransaction } from './group-commit.ts'
import { Pipeline, type PipelinedResult, type PipelinedStatement } from './postgres-pipeline.ts'
import {
  clientOf,
  connectClient,
  createPostgresServers,
  isReadOnlyError,
  type PostgresServers,
  ReadOnlyServerError,
  setUpSession,
  types,
  waitForLockMs,
} from './postgres-servers.ts'
import {
  asUnavailable,
  createSession,
  createTransaction,
  type PostgresOptions,
  send,
  statementMsWithin,
} from './postgres-transaction.ts'

interface Waiting {
  isChange: boolean
  statement: PipelinedStatement
  resolve: (result: PipelinedResult) => void
  reject: (error: unknown) => void
}

/** Fewer short statements take less time one after the other than it takes to wake another connection. */
const minShare = 4

/**
 * Runs statements that are transactions of their own. Those that wait are divided among the connections of the pool; each
 * sends its part in one round trip, because most of the cost of a short statement are the messages around it. `size` is the
 * number of connections; `pool` may return another pool each time.
 */
function createStatementQueue(pool: () => pg.Pool, size: number) {
  const reads: Waiting[] = []
  const changes: Waiting[] = []
  let busy = 0
  let isScheduled = false

  /** Once those that arrive in the same turn of the event loop are there, and those that shared-reads.ts adds at its end. */
  function schedule(): void {
    if (isScheduled || reads.length + changes.length === 0) return
    isScheduled = true
    setImmediate(() => setImmediate(sendShares))
  }

  function sendShares(): void {
    isScheduled = false
    const share = Math.max(minShare, Math.ceil(reads.length / size))
    while (busy < size && reads.length + changes.length > 0) {
      const part = reads.splice(0, share)
      // One at most, and last: what it locks is free at once.
      if (reads.length === 0) part.push(...changes.splice(0, 1))
      void execute(part)
    }
  }

  async function execute(part: Waiting[]): Promise<void> {
    busy++
    const pipeline = new Pipeline(
      part.map(({ statement }) => statement),
      types,
    )
    let failure: unknown
    try {
      await run(pool(), pipeline)
    } catch (error) {
      failure = error
    }
    busy--
    const { length } = pipeline.results
    const isAnswered = failure === undefined || length < part.length
    const isRefusal = failure instanceof pg.DatabaseError
    for (const [i, each] of part.entries()) {
      if (i < length && isAnswered) each.resolve(pipeline.results[i] as PipelinedResult)
      // The server skipped what is behind the one that failed.
      else if (i > length && isRefusal) queueOf(each).push(each)
      else each.reject(failure)
    }
    schedule()
  }

  const queueOf = ({ isChange }: Waiting): Waiting[] => (isChange ? changes : reads)

  const connection = (isChange: boolean) => ({
    query: (statement: PipelinedStatement) =>
      new Promise<PipelinedResult>((resolve, reject) => {
        const each = { isChange, statement, resolve, reject }
        queueOf(each).push(each)
        schedule()
      }),
  })
  return { reads: connection(false), changes: connection(true) }
}

/** As the pool runs a query: a connection with an error is closed. */
async function run(pool: pg.Pool, pipeline: Pipeline): Promise<void> {
  const client = await pool.connect()
  let failure: Error | undefined
  const fail = (error: Error): void => {
    failure = error
  }
  client.on('error', fail)
  try {
    client.query(pipeline)
    await pipeline.done
  } catch (error) {
    fail(error as Error)
    throw error
  } finally {
    client.off('error', fail)
    client.release(failure)
  }
}

/** Smaller batches cost more time per row. */
const rowsForInsert = 8000
/** The time-out of one statement over all staged rows. */
const waitMs = 30 * 60_000

/**
 * Staging on PostgreSQL: a temporary table on a separate connection. It is not written to the WAL, and is dropped when the
 * connection ends for any reason.
 */
async function openPostgresStaging(
  { url, schema, onError }: PostgresOptions,
  columns: StagedColumns,
): Promise<Staging> {
  const settings = {
    search_path: schema,
    synchronous_commit: 'on',
    lock_timeout: waitForLockMs,
    statement_timeout: 0,
  }
  const client = await connectClient(url, `${schema} staging`, settings, onError)
  const run = (query: pg.QueryConfig | string) => send(client, query, waitMs)
  const names = Object.keys(columns)
  const sqlTypes = names.map((name) => (columns[name] === 'int64' ? 'bigint' : 'text'))
  const arrays = sqlTypes.map((type, i) => `$${i + 2}::${type}[]`)
  const insert = `insert into staged select $1::bigint + row.ordinality, ${names.map((name) => `row.${name}`).join(', ')}
    from unnest(${arrays.join(', ')}) with ordinality as row (${names.join(', ')}, ordinality)`

  const created = names.map((name, i) => `${name} ${sqlTypes[i]}`).join(', ')
  try {
    await run(`create temporary table staged (position bigint, ${created})`)
  } catch (error) {
    await client.end().catch(onError)
    throw error
  }
  const session = createSession(client, waitMs)
  let count = 0
  // One insert runs while the next rows are read and validated. The next call throws its error.
  let underWay: Promise<unknown> = Promise.resolve()
  let waiting: Value[][] = names.map(() => [])

  async function flush(): Promise<void> {
    const size = waiting[0]?.length ?? 0
    if (size === 0) return
    const before = underWay
    const values = [count, ...waiting]
    count += size
    waiting = names.map(() => [])
    underWay = before.then(() => run({ name: 'stage', text: insert, values }))
    underWay.catch(() => {})
    await before
  }

  async function finish(): Promise<void> {
    await flush()
    await underWay
  }

  return {
    async add(rows) {
      for (const [i, column] of waiting.entries()) {
        for (const row of rows) column.push(row[i] as Value)
      }
      if ((waiting[0]?.length ?? 0) >= rowsForInsert) await flush()
    },
    read: {
      all: (query, params) => finish().then(() => session.all(query, params)),
      tuples: (query, params) => finish().then(() => session.tuples(query, params)),
    },
    async transaction(body) {
      await finish()
      const transaction = createTransaction(client, { withinMs: waitMs })
      try {
        const value = await body(transaction)
        await transaction.commit()
        return value
      } catch (error) {
        await transaction.rollback().catch(onError)
        throw error
      }
    },
    async close() {
      await underWay.catch(() => {})
      await client.end()
    },
  }
}

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
