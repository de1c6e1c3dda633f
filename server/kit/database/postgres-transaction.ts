// A transaction on PostgreSQL in as few round trips as its code allows: `begin` is sent with the first statement that is
// waited for, statements whose rows nobody needs with the next one, and the last of them with the commit.
import pg from 'pg'
import { AppError, outcomeUnknown } from '../errors.ts'
import type { CommitGate } from './commit-gate.ts'
import type { Transaction } from './group-commit.ts'
import { Pipeline, type PipelinedResult, type PipelinedStatement } from './postgres-pipeline.ts'
import { asUnavailable, send, statementOf, types, withinDeadline } from './postgres-session.ts'

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
    const keep = (given: unknown): void => {
      if (pipeline.hasReachedLast) notice = given
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
