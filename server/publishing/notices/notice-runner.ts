// Sends the notices of a queue. Runs in every process: after each commit here, and once a second for notices of other
// processes. A few run in parallel, so that one slow receiver delays few others.
import { startJobRunner } from '#kit/jobs/job-runner.ts'
import type { PublishingContext } from '../database/publishing-context.ts'

/** Undefined after success; otherwise the error, and the time of the next attempt, if any. */
export type NoticeFailure = { error: string; nextAt: number | undefined } | undefined

interface NoticeQueue<Notice> {
  isDue(now: number): Promise<boolean>
  /** Claims up to `max` of them. */
  lease(max: number, now: number): Promise<Notice[]>
  /** Ends it, or postpones it to `nextAt`. */
  finish(notice: Notice, nextAt: number | undefined): Promise<unknown>
  /** For the log. */
  factsOf(notice: Notice): { channel: string; recipient: string; tries: number }
}

const intervalMs = 1000
const maxJobs = 4

/** `send` throws only on internal errors: the notice is sent again when its lease expires. */
export function startNoticeRunner<Notice>(
  { clock, database, log }: Pick<PublishingContext, 'clock' | 'database' | 'log'>,
  queue: NoticeQueue<Notice>,
  send: (notice: Notice) => Promise<NoticeFailure>,
) {
  async function process(notice: Notice): Promise<void> {
    const failure = await send(notice)
    if (failure) {
      const { tries, ...of } = queue.factsOf(notice)
      const facts = { ...of, tries: tries + 1, error: failure.error }
      if (failure.nextAt === undefined)
        log.warn({ event: 'notice.failed', ...facts }, 'a notice failed permanently')
      else log.info({ event: 'notice.delayed', ...facts }, 'a notice failed; retrying later')
    }
    await queue.finish(notice, failure?.nextAt)
  }

  const runner = startJobRunner<Notice>({
    name: 'sending a notice',
    log,
    maxJobs,
    intervalMs,
    async claim(max) {
      const now = clock()
      return (await queue.isDue(now)) ? await queue.lease(max, now) : []
    },
    run: process,
    describe: (notice) => ({ channel: queue.factsOf(notice).channel }),
  })
  database.onAnnouncement(() => runner.wake())
  return {
    /** Leases no further notices; resolves when the running deliveries have ended. */
    stop: runner.stop,
  }
}
