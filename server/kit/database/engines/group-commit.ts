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
  /** It was rejected while its transaction ran. */
  isLate: boolean
  resolve: (outcome: unknown) => void
  reject: (error: unknown) => void
}

interface Batch {
  jobs: Job[]
  gate: CommitGate
}

/** From the arrival of a write, in ms: no transaction begins for it later, no commit is sent later, nobody waits longer. */
interface Deadlines {
  begin: number
  commit: number
  answer: number
}

type Outcome = { value: unknown } | { error: unknown }

const maxBatch = 256
/** What a commit has to be confirmed, and a transaction before it, even if their writes have waited long. */
const reservedMs = { commit: 300, transaction: 200 }
const maxReservedShare = 0.25

/** The write queue of one database. */
export class GroupCommit {
  readonly #run: RunTransaction
  readonly #deadlines: Deadlines
  #queue: Job[] = []
  #batch: Batch | undefined
  /** For all deadlines: one for each write would cost more than what it usually watches. */
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> | undefined
  #announced = false
  readonly #listeners: (() => void)[] = []

  /** Writes that take longer than `timeoutMs` are rejected. */
  constructor(timeoutMs: number, run: RunTransaction) {
    const reserve = (ms: number): number => Math.min(ms, timeoutMs * maxReservedShare)
    const commit = timeoutMs - reserve(reservedMs.commit)
    this.#deadlines = { begin: commit - reserve(reservedMs.transaction), commit, answer: timeoutMs }
    this.#run = run
  }

  write<I, O>(work: Work<I, O>, input: I): Promise<O> {
    return new Promise<O>((resolve, reject) => {
      this.#queue.push({
        work: work as Work<unknown, unknown>,
        ...{ input, reject, resolve: resolve as Job['resolve'] },
        arrivedAt: performance.now(),
        isLate: false,
      })
      if (!this.#timer) this.#watch()
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

  /** Enforces the deadlines that are over, and sets the timer for the next one: no write that comes meanwhile is due before. */
  #watch(): void {
    this.#dropLate()
    if (this.#batch) enforceDeadlines(this.#batch, this.#deadlines)
    const { begin } = this.#deadlines
    const next = Math.min(
      deadlineOf(this.#queue[0], begin),
      nextDeadline(this.#batch, this.#deadlines),
    )
    this.#timer =
      next === Number.POSITIVE_INFINITY
        ? undefined
        : setTimeout(() => this.#watch(), Math.min(begin, msUntil(next))).unref()
  }

  /** Drops writes that no transaction has begun for in time. */
  #dropLate(): void {
    const now = performance.now()
    while (deadlineOf(this.#queue[0], this.#deadlines.begin) <= now) {
      this.#queue.shift()?.reject(unavailable('write queue'))
    }
  }

  async #flush(): Promise<void> {
    // Includes requests that arrived in the same turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#queue.length > 0) {
      // Also where timers are late.
      this.#dropLate()
      const jobs = this.#queue.splice(0, maxBatch)
      if (jobs.length === 0) continue
      this.#announced = false
      const batch = { jobs, gate: new CommitGate() }
      this.#batch = batch
      try {
        settle(jobs, await this.#commit(batch))
        if (this.#announced) for (const listener of this.#listeners) listener()
      } catch (error) {
        for (const job of jobs) job.reject(error)
      }
      this.#batch = undefined
    }
    this.#flushing = undefined
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

function deadlineOf(job: Job | undefined, withinMs: number): number {
  return job ? job.arrivedAt + withinMs : Number.POSITIVE_INFINITY
}

/** A busy event loop may be late. */
function msUntil(time: number): number {
  return Math.max(0, time - performance.now())
}

/** All writes of a batch fail together before its commit: each would delay the others again. */
function stopBeforeCommit({ gate, jobs }: Batch): void {
  gate.stop()
  for (const job of jobs) giveUp(job, unavailable('transaction deadline'))
}

function giveUp(job: Job, error: unknown): void {
  job.isLate = true
  job.reject(error)
}

/** Rejects each write of a batch whose time is over. When nobody waits any more, its connection is closed. */
function enforceDeadlines(batch: Batch, { answer, commit }: Deadlines): void {
  const { gate, jobs } = batch
  const now = performance.now()
  if (!gate.isCommitting && deadlineOf(jobs[0], commit) <= now) stopBeforeCommit(batch)
  for (const job of jobs) {
    if (deadlineOf(job, answer) <= now) giveUp(job, outcomeUnknown('commit deadline'))
  }
  if (jobs.every(({ isLate }) => isLate)) gate.stop()
}

/** Infinity where nobody waits. */
function nextDeadline(batch: Batch | undefined, { answer, commit }: Deadlines): number {
  const waiting = batch?.jobs.find(({ isLate }) => !isLate)
  return deadlineOf(waiting, batch?.gate.isCommitting ? answer : commit)
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
