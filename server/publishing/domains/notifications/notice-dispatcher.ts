// Sends notices to their recipients. Runs in every process: after each commit here, and once a second for
// notices of other processes. A few run in parallel per channel, so that one slow receiver delays few others.
import { startJobRunner } from '../../../platform/jobs/job-runner.ts'
import type { PublishingContext } from '../../database/publishing-context.ts'
import {
  type Channel,
  finishNotice,
  isNoticeDue,
  leaseNoticesTransaction,
  type Notice,
} from './notices.ts'

/** Undefined after success; otherwise the error, and the time of the next attempt, if any. */
type NoticeFailure = { error: string; nextAt: number | undefined } | undefined

/** Sends one notice. Throws only on internal errors: the notice is sent again when its lease expires. */
export type SendNotice = (notice: Notice) => Promise<NoticeFailure>

const intervalMs = 1000
const maxJobsPerChannel = 4

export function startNoticeDispatcher(
  { clock, database, log }: Pick<PublishingContext, 'clock' | 'database' | 'log'>,
  senders: Partial<Record<Channel, SendNotice>>,
) {
  async function process(notice: Notice, send: SendNotice): Promise<void> {
    const failure = await send(notice)
    if (failure) {
      const { channel, recipient, tries } = notice
      const facts = { channel, recipient, tries: tries + 1, error: failure.error }
      if (failure.nextAt === undefined)
        log.warn({ event: 'notice.failed', ...facts }, 'a notice failed permanently')
      else log.info({ event: 'notice.delayed', ...facts }, 'a notice failed; retrying later')
    }
    await finishNotice(database, { notice, nextAt: failure?.nextAt })
  }

  const runners = (Object.entries(senders) as [Channel, SendNotice][]).map(([channel, send]) =>
    startJobRunner<Notice>({
      name: 'sending a notice',
      log,
      maxJobs: maxJobsPerChannel,
      intervalMs,
      async claim(max) {
        const now = clock()
        if (!(await isNoticeDue(database.read, { channel, now }))) return []
        return await database.write(leaseNoticesTransaction, { channel, max, now })
      },
      run: (notice) => process(notice, send),
      describe: () => ({ channel }),
    }),
  )
  database.onAnnouncement(() => {
    for (const runner of runners) runner.wake()
  })
  return {
    /** Leases no further notices; resolves when the running deliveries have ended. */
    async stop() {
      await Promise.all(runners.map((runner) => runner.stop()))
    },
  }
}
