// Writes that arrive together share one transaction, and so one fsync. While a batch commits the next
// one gathers. A write that fails spoils no other: its batch is rolled back and run again one by one.
import { AppError, unavailable } from '../errors.ts'
import type { Session, Work } from './database.ts'

export interface Transaction extends Session {
  /** Runs a part so that its failure undoes that part alone. */
  nested<T>(part: () => Promise<T>): Promise<T>
}

/** Runs body in one durable transaction; rolls back when it throws. */
export type RunTransaction = <T>(body: (transaction: Transaction) => Promise<T>) => Promise<T>

interface Job {
  work: Work<unknown, unknown>
  input: unknown
  settled: boolean
  resolve: (outcome: unknown) => void
  reject: (error: unknown) => void
}

type Outcome = { value: unknown } | { error: unknown }

const maxBatch = 256
/** A caller hears of trouble before this, in milliseconds, whatever the database does. */
export const answerWithinMs = 1400

/** The queue in front of one database's writer. */
export class GroupCommit {
  readonly #run: RunTransaction
  #queue: Job[] = []
  #flushing: Promise<void> | undefined
  #announced = false
  readonly #listeners: (() => void)[] = []

  constructor(run: RunTransaction) {
    this.#run = run
  }

  write<I, O>(work: Work<I, O>, input: I): Promise<O> {
    return new Promise<O>((resolve, reject) => {
      const job: Job = {
        work: work as Work<unknown, unknown>,
        input,
        settled: false,
        resolve: (outcome) => {
          clearTimeout(timer)
          job.settled = true
          resolve(outcome as O)
        },
        reject: (error) => {
          clearTimeout(timer)
          job.settled = true
          reject(error)
        },
      }
      // A job that is still queued then is dropped; one that has begun may yet be committed.
      const timer = setTimeout(() => job.reject(unavailable('write deadline')), answerWithinMs)
      this.#queue.push(job)
      this.#flushing ??= this.#flush()
    })
  }

  /** To be called by the transaction's `announce`. */
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
    // Lets the requests that came in the same turn of the event loop join.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#queue.length > 0) {
      const jobs = this.#queue.splice(0, maxBatch).filter((job) => !job.settled)
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
