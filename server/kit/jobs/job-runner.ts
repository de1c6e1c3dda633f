// Runs background jobs of one kind in this process, a few at a time: claims those that are due, and claims others when one
// ends. Built on one poll loop.
import type { Logger } from '../log.ts'
import { type PollLoop, startPollLoop } from './poll-loop.ts'

export interface JobRunnerOptions<Job> {
  /** Names the jobs in the log: `${name} failed`. */
  name: string
  log: Logger
  /** Side by side in this process. */
  maxJobs: number
  /** Looks for jobs so often, besides when it is woken and when one ends. */
  intervalMs: number
  /**
   * Claims at most `free` jobs that are due, beside those under way. `nextMs`: when it looks again, where that is not the
   * interval; Infinity: when it is woken.
   */
  claim(free: number, underWay: Iterable<Job>): Promise<Job[] | { jobs: Job[]; nextMs: number }>
  /** Does one job. What it throws is logged; the signal aborts when the program stops. */
  run(job: Job, signal: AbortSignal): Promise<unknown>
  /** What the log shows of a job that failed. */
  describe?(job: Job): object
}

/** `stop` claims nothing more, aborts the jobs under way, and resolves when they have ended. */
export function startJobRunner<Job>(options: JobRunnerOptions<Job>): PollLoop {
  const { claim, describe, intervalMs, log, maxJobs, name, run } = options
  const stopping = new AbortController()
  const underWay = new Map<Job, Promise<void>>()

  const loop = startPollLoop({
    name: `claiming ${name}`,
    log,
    intervalMs,
    async poll() {
      const free = maxJobs - underWay.size
      if (free <= 0) return intervalMs
      const claimed = await claim(free, underWay.keys())
      const { jobs, nextMs } = 'jobs' in claimed ? claimed : { jobs: claimed }
      for (const job of jobs) start(job)
      return nextMs
    },
  })

  function start(job: Job): void {
    const done = run(job, stopping.signal)
      .then(
        () => {},
        (error) =>
          log.error(
            { event: 'job.failed', job: name, ...describe?.(job), err: error },
            `${name} failed`,
          ),
      )
      .finally(() => {
        underWay.delete(job)
        loop.wake()
      })
    underWay.set(job, done)
  }

  return {
    ...loop,
    async stop() {
      stopping.abort()
      await loop.stop()
      await Promise.all(underWay.values())
    },
  }
}
