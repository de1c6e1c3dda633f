// Group commit: writes that arrive together share one transaction and one fsync. While a batch commits, the
// next one collects. If a write fails, its batch is rolled back and run again one write at a time.
import { AppError, unavailable } from '../errors.ts'
import type { Session, Work } from './database.ts'

export interface Transaction extends Session {
  /** Runs a part in a savepoint: a failure rolls back only that part. */
  nested<T>(part: () => Promise<T>): Promise<T>
}

/** Runs `body` in one durable transaction; rolls back if it throws. */
export type RunTransaction = <T>(body: (transaction: Transaction) => Promise<T>) => Promise<T>

interface Job {
  work: Work<unknown, unknown>
  input: unknown
  isSettled: boolean
  resolve: (outcome: unknown) => void
  reject: (error: unknown) => void
}

type Outcome = { value: unknown } | { error: unknown }

const maxBatch = 256
/** The write queue of one database. */
export class GroupCommit {
  readonly #run: RunTransaction
  readonly #timeoutMs: number
  #queue: Job[] = []
  #flushing: Promise<void> | undefined
  #announced = false
  readonly #listeners: (() => void)[] = []

  /** Writes that take longer than `timeoutMs` are rejected. */
  constructor(timeoutMs: number, run: RunTransaction) {
    this.#timeoutMs = timeoutMs
    this.#run = run
  }

  write<I, O>(work: Work<I, O>, input: I): Promise<O> {
    return new Promise<O>((resolve, reject) => {
      const job: Job = {
        work: work as Work<unknown, unknown>,
        input,
        isSettled: false,
        resolve: (outcome) => {
          clearTimeout(timer)
          job.isSettled = true
          resolve(outcome as O)
        },
        reject: (error) => {
          clearTimeout(timer)
          job.isSettled = true
          reject(error)
        },
      }
      // A job that is still queued then is dropped; a job that is already running may still be committed.
      const timer = setTimeout(() => job.reject(unavailable('write deadline')), this.#timeoutMs)
      this.#queue.push(job)
      this.#flushing ??= this.#flush()
    })
  }

  /** Called by the transaction's `announce`. */
  announce(): void {
    this.#announced = true
  }

  onAnnouncement(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Resolves once nothing is queued or running. */
  async idle(): Promise<void> {
    await this.#flushing
  }

  async #flush(): Promise<void> {
    // Includes requests that arrived in the same turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#queue.length > 0) {
      const jobs = this.#queue.splice(0, maxBatch).filter((job) => !job.isSettled)
      if (jobs.length === 0) continue
      this.#announced = false
      try {
        settle(jobs, await this.#commit(jobs))
        if (this.#announced) for (const listener of this.#listeners) listener()
      } catch (error) {
        for (const job of jobs) job.reject(error)
      }
    }
    this.#flushing = undefined
  }

  async #commit(jobs: Job[]): Promise<Outcome[]> {
    try {
      return await this.#run((transaction) => runTogether(transaction, jobs))
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') throw error
      if (jobs.length === 1) return [{ error }]
      return await this.#run((transaction) => runApart(transaction, jobs))
    }
  }
}

async function runTogether(session: Session, jobs: Job[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (let start = 0; start < jobs.length; ) {
    const { work } = jobs[start] as Job
    let end = start + 1
    while (end < jobs.length && jobs[end]?.work === work) end++
    const inputs = jobs.slice(start, end).map((job) => job.input)
    for (const value of await work(session, inputs)) outcomes.push({ value })
    start = end
  }
  return outcomes
}

async function runApart(transaction: Transaction, jobs: Job[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const job of jobs) {
    try {
      const [value] = await transaction.nested(() => job.work(transaction, [job.input]))
      outcomes.push({ value })
    } catch (error) {
      if (error instanceof AppError && error.code === 'unavailable') throw error
      outcomes.push({ error })
    }
  }
  return outcomes
}

function settle(jobs: Job[], outcomes: Outcome[]): void {
  jobs.forEach((job, i) => {
    const outcome = outcomes[i] as Outcome
    if ('value' in outcome) job.resolve(outcome.value)
    else job.reject(outcome.error)
  })
}
