// Group commit: writes that arrive together share one transaction and one fsync. While a batch commits, the
// next one collects. If a write fails, its batch is rolled back and run again one write at a time.
// Invariant: a write that fails with anything but `outcome_unknown` has changed nothing, and never will.
//
// The gate of a transaction decides whether it may still commit:
//   open        it runs. `stop` ends one that takes too long: nothing is changed, and its writes fail with `unavailable`.
//   committing  `enter` was called right before the commit is sent. From then on only the database knows the outcome:
//               writes that it does not confirm in time fail with `outcome_unknown`. A refused commit leads back to open.
//   stopped     it must not commit, or nobody waits for its outcome any more.
import { isDatabaseOutage, outcomeUnknown, unavailable } from '../../errors.ts'
import type { Work, WriteSession } from '../database.ts'

export interface Transaction extends WriteSession {
  /** Runs a part in a savepoint: a failure rolls back only that part. */
  nested<T>(part: () => Promise<T>): Promise<T>
}

/**
 * Runs `body` in one durable transaction; rolls back if it throws. Enters the gate right before it sends the commit.
 * Rejects with `outcome_unknown` if the database did not say whether it committed.
 */
export type RunTransaction = <T>(
  gate: CommitGate,
  body: (transaction: Transaction) => Promise<T>,
) => Promise<T>

interface Job {
  work: Work<unknown, unknown>
  input: unknown
  /** performance.now() */
  arrivedAt: number
  isSettled: boolean
  resolve: (outcome: unknown) => void
  reject: (error: unknown) => void
}

interface Batch {
  jobs: Job[]
  gate: CommitGate
}

type Outcome = { value: unknown } | { error: unknown }

const maxBatch = 256
/** What a commit has to be confirmed, and a transaction before it, even if their writes have waited long. */
const reservedMs = { commit: 300, transaction: 200 }
const maxReservedShare = 0.25

/** The write queue of one database. */
export class GroupCommit {
  readonly #run: RunTransaction
  readonly #timeoutMs: number
  /** From the arrival of a write: no transaction begins for it later, and no commit is sent later. */
  readonly #beginsWithinMs: number
  readonly #commitsWithinMs: number
  #queue: Job[] = []
  /** Of the oldest write in the queue: one timer for all of them costs less than one for each. */
  #queueTimer: NodeJS.Timeout | undefined
  #flushing: Promise<void> | undefined
  #announced = false
  readonly #listeners: (() => void)[] = []

  /** Writes that take longer than `timeoutMs` are rejected. */
  constructor(timeoutMs: number, run: RunTransaction) {
    const reserve = (ms: number): number => Math.min(ms, timeoutMs * maxReservedShare)
    this.#timeoutMs = timeoutMs
    this.#commitsWithinMs = timeoutMs - reserve(reservedMs.commit)
    this.#beginsWithinMs = this.#commitsWithinMs - reserve(reservedMs.transaction)
    this.#run = run
  }

  write<I, O>(work: Work<I, O>, input: I): Promise<O> {
    return new Promise<O>((resolve, reject) => {
      const job: Job = {
        work: work as Work<unknown, unknown>,
        input,
        arrivedAt: performance.now(),
        isSettled: false,
        resolve: (outcome) => {
          job.isSettled = true
          resolve(outcome as O)
        },
        reject: (error) => {
          job.isSettled = true
          reject(error)
        },
      }
      this.#queue.push(job)
      if (!this.#queueTimer) this.#watchQueue()
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

  /** Drops writes that no transaction has begun for in time, now and later. */
  #watchQueue(): void {
    clearTimeout(this.#queueTimer)
    this.#queueTimer = undefined
    const late = performance.now() - this.#beginsWithinMs
    while (this.#queue[0] && this.#queue[0].arrivedAt <= late) {
      this.#queue.shift()?.reject(unavailable('write queue'))
    }
    const [oldest] = this.#queue
    if (!oldest) return
    const leftMs = msUntil(oldest.arrivedAt + this.#beginsWithinMs)
    this.#queueTimer = setTimeout(() => this.#watchQueue(), leftMs)
  }

  async #flush(): Promise<void> {
    // Includes requests that arrived in the same turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#queue.length > 0) {
      const jobs = this.#takeBatch()
      const [oldest] = jobs
      if (!oldest) continue
      this.#announced = false
      const gate = new CommitGate()
      const batch = { jobs, gate }
      const leftMs = msUntil(oldest.arrivedAt + this.#commitsWithinMs)
      const timer = setTimeout(() => stopBeforeCommit(batch), leftMs)
      const deadlines = watchDeadlines(batch, this.#timeoutMs)
      try {
        settle(jobs, await this.#commit(batch))
        if (this.#announced) for (const listener of this.#listeners) listener()
      } catch (error) {
        for (const job of jobs) job.reject(error)
      } finally {
        clearTimeout(timer)
        deadlines.end()
      }
    }
    this.#flushing = undefined
  }

  /** The next writes. Drops those that are late, also where timers are. */
  #takeBatch(): Job[] {
    this.#watchQueue()
    const jobs = this.#queue.splice(0, maxBatch)
    this.#watchQueue()
    return jobs
  }

  async #commit({ gate, jobs }: Batch): Promise<Outcome[]> {
    try {
      return await this.#run(gate, (transaction) => runTogether(transaction, jobs))
    } catch (error) {
      if (gate.isStopped || isDatabaseOutage(error)) throw error
      if (jobs.length === 1) return [{ error }]
      gate.reset()
      return await this.#run(gate, (transaction) => runApart(transaction, jobs))
    }
  }
}

/** A busy event loop may be late. */
function msUntil(time: number): number {
  return Math.max(0, time - performance.now())
}

/** All writes of a batch fail together: each would delay the others again. */
function stopBeforeCommit({ gate, jobs }: Batch): void {
  if (gate.isCommitting) return
  gate.stop()
  const error = unavailable('transaction deadline')
  for (const job of jobs) job.reject(error)
}

/** Rejects each write of a batch whose time is over. When nobody waits any more, its connection is closed. */
function watchDeadlines(batch: Batch, timeoutMs: number): { end(): void } {
  const { gate, jobs } = batch
  let timer: NodeJS.Timeout | undefined

  function watch(): void {
    const late = performance.now() - timeoutMs
    for (const job of jobs) {
      if (job.isSettled || job.arrivedAt > late) continue
      if (gate.isCommitting) job.reject(outcomeUnknown('commit deadline'))
      else stopBeforeCommit(batch)
    }
    const next = jobs.find(({ isSettled }) => !isSettled)
    if (next) timer = setTimeout(watch, msUntil(next.arrivedAt + timeoutMs))
    else gate.stop()
  }

  watch()
  return { end: () => clearTimeout(timer) }
}

async function runTogether(session: WriteSession, jobs: Job[]): Promise<Outcome[]> {
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
      if (isDatabaseOutage(error)) throw error
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

export class CommitGate {
  #isStopped = false
  #isCommitting = false
  #stop: (() => void) | undefined

  /** The transaction must not commit, or nobody waits for its outcome any more. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** The commit has been sent: it may take effect at any time. */
  get isCommitting(): boolean {
    return this.#isCommitting
  }

  /** Throws `unavailable` if the transaction must not go on. */
  check(): void {
    if (this.#isStopped) throw unavailable('transaction deadline')
  }

  /** To be called right before the commit is sent. Throws `unavailable` if it must not be sent. */
  enter(): void {
    this.check()
    this.#isCommitting = true
  }

  /** The commit was refused: nothing was changed, and the transaction can be repeated. */
  reset(): void {
    this.#isCommitting = false
    this.#stop = undefined
  }

  /** Has `stop` called, at most once, to end the transaction's connection. */
  onStop(stop: () => void): void {
    this.#stop = stop
    if (this.#isStopped) this.#callStop()
  }

  /** Before the commit is sent, this prevents it. */
  stop(): void {
    this.#isStopped = true
    this.#callStop()
  }

  #callStop(): void {
    const stop = this.#stop
    this.#stop = undefined
    stop?.()
  }
}
