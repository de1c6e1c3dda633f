// Statements that are transactions of their own, on a pool of connections. Those that wait are divided among the
// connections; each sends its part in one round trip, because most of a short statement's cost are the messages around it.
import pg from 'pg'
import { Pipeline, type PipelinedResult, type PipelinedStatement } from './postgres-pipeline.ts'
import { types } from './postgres-session.ts'

interface Waiting {
  isChange: boolean
  statement: PipelinedStatement
  resolve: (result: PipelinedResult) => void
  reject: (error: unknown) => void
}

/** Fewer short statements take less time one after the other than it takes to wake another connection. */
const minShare = 4

/** `size` is the number of connections of the pool, which may be another one each time. */
export function createStatementQueue(pool: () => pg.Pool, size: number) {
  const reads: Waiting[] = []
  const changes: Waiting[] = []
  let busy = 0
  let isScheduled = false

  /** Once those that arrive in the same turn of the event loop are there, and those that share-runs.ts adds at its end. */
  function schedule(): void {
    if (isScheduled || reads.length + changes.length === 0) return
    isScheduled = true
    setImmediate(() => setImmediate(send))
  }

  function send(): void {
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
    query({ name = '', rowMode, text, values = [] }: pg.QueryConfig & { rowMode?: 'array' }) {
      return new Promise<PipelinedResult>((resolve, reject) => {
        const statement = { name, sql: text, values, ...(rowMode && { rowMode }) }
        const each = { isChange, statement, resolve, reject }
        queueOf(each).push(each)
        schedule()
      })
    },
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
