// Statements on PostgreSQL, with time-outs and errors of ours. A transaction takes as few round trips as its code allows:
// `begin` is sent with the first statement that is waited for, statements whose rows nobody needs with the next one, and the
// last of them with the commit.
import pg from 'pg'
import type { Clock } from '../../clock.ts'
import { AppError, outcomeUnknown, unavailable } from '../../errors.ts'
import { within } from '../../promises.ts'
import type { Session } from '../database.ts'
import type { Query, Value } from '../query.ts'
import type { CommitGate, Transaction } from './group-commit.ts'
import { Pipeline, type PipelinedResult, type PipelinedStatement } from './postgres-pipeline.ts'
import { type PostgresServers, types } from './postgres-servers.ts'

interface PostgresTransaction extends Transaction {
  /**
   * Sends what is left, with the commit. Enters the gate before that. Rejects with `outcome_unknown` unless the server has
   * said that it did or did not commit; after any other error nothing was changed, and the transaction is over.
   */
  commit(gate?: CommitGate): Promise<void>
  /** After an error. Rejects if the connection must not be used again. */
  rollback(): Promise<void>
}

type Client = Pick<pg.ClientBase, 'addListener' | 'query' | 'removeListener'>

interface Queued {
  statement: PipelinedStatement
  resolve?: (result: PipelinedResult) => void
  reject?: (error: unknown) => void
}

const command = (text: string): PipelinedStatement => ({ name: text, text, values: [] })
const begin = command('begin')
const savepoint = command('savepoint part')
const release = command('release part')
/** Without the time-out of statements: a server that gives up waiting for its standby would still commit. */
const noTimeout = command('set local statement_timeout = 0')
const commit = command('commit')

interface TransactionOptions {
  /** The time-out of each round trip. */
  withinMs: number
  announce?: () => void
}

export function createTransaction(
  client: Client,
  { announce = () => {}, withinMs }: TransactionOptions,
): PostgresTransaction {
  let queued: Queued[] = [{ statement: begin }]
  let roundTrips = 0
  let last: Promise<void> = Promise.resolve()
  let isScheduled = false

  /** Sends what is queued once the code that runs has queued all that it waits for together. */
  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    process.nextTick(() => {
      isScheduled = false
      last = last.then(flush)
    })
  }

  async function flush(): Promise<void> {
    if (queued.length === 0) return
    const sent = queued
    queued = []
    const pipeline = new Pipeline(statementsOf(sent), types)
    try {
      await execute(pipeline)
      for (const [i, { resolve }] of sent.entries())
        resolve?.(pipeline.results[i] as PipelinedResult)
    } catch (error) {
      for (const { reject } of sent) reject?.(asUnavailable(error))
    }
  }

  async function execute(pipeline: Pipeline): Promise<void> {
    roundTrips++
    client.query(pipeline)
    await withinDeadline(pipeline.done, withinMs)
  }

  function wait(statement: PipelinedStatement): Promise<PipelinedResult> {
    const result = new Promise<PipelinedResult>((resolve, reject) => {
      queued.push({ statement, resolve, reject })
    })
    schedule()
    return result
  }

  /** Sends everything with the commit, and finds out what the server did. */
  async function commitAll(): Promise<void> {
    const sent = [...statementsOf(queued), noTimeout, commit]
    queued = []
    const pipeline = new Pipeline(sent, types)
    // Such as that the standby has not confirmed it, or that there was no transaction.
    let notice: unknown
    const keep = (value: unknown): void => {
      if (pipeline.hasReachedLast) notice = value
    }
    client.addListener('notice', keep)
    try {
      await execute(pipeline)
      const done = pipeline.results.at(-1)?.command
      if (notice !== undefined) throw outcomeUnknown(notice)
      if (done !== 'COMMIT') throw new Error(`the commit was answered with ${done}`)
    } catch (error) {
      throw (await isRefusal(error, pipeline)) ? asUnavailable(error) : outcomeUnknown(error)
    } finally {
      client.removeListener('notice', keep)
    }
  }

  /**
   * Whether an error says that nothing was committed: a session that goes on after it has rolled back, and one that the
   * server has ended before the commit does so.
   */
  async function isRefusal(error: unknown, pipeline: Pipeline): Promise<boolean> {
    if (!pipeline.isSubmitted && !(error instanceof AppError)) return true
    if (!(error instanceof pg.DatabaseError) || unknownOutcomes.includes(error.code)) return false
    // Poolers send errors of their own, which have no routine, at any moment.
    if (error.routine !== undefined && !pipeline.hasReachedLast) return true
    return await send(client, 'rollback', withinMs).then(
      () => true,
      () => false,
    )
  }

  return {
    isRemote: true,
    async all(query, params) {
      return (await wait(statementOf(query, params))).rows as never
    },
    async tuples(query, params) {
      return (await wait(statementOf(query, params, 'array'))).rows as never
    },
    run(query, params) {
      queued.push({ statement: statementOf(query, params) })
    },
    announce,
    async nested(part) {
      const before = roundTrips
      const unsent = queued.length
      queued.push({ statement: savepoint })
      try {
        const value = await part()
        await wait(release)
        return value
      } catch (error) {
        await last
        // A savepoint that was not sent needs no rollback.
        queued.length = roundTrips === before ? unsent : 0
        if (roundTrips > before) await send(client, 'rollback to part; release part', withinMs)
        throw error
      }
    },
    async commit(gate) {
      await last
      gate?.enter()
      await commitAll()
    },
    async rollback() {
      queued = []
      if (roundTrips > 0) await client.query('rollback')
    },
  }
}

const statementsOf = (queued: Queued[]): PipelinedStatement[] =>
  queued.map(({ statement }) => statement)

/** SQLSTATEs that say so: statement_completion_unknown, and transaction_resolution_unknown, which poolers send. */
const unknownOutcomes: unknown[] = ['40003', '08007']

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
