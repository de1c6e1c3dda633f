// Sends notices to their recipients. Runs in every process: after each commit here, and once a second for
// notices of other processes. A few run in parallel per channel, so that one slow receiver delays few others.
import { startJobRunner } from '../../../platform/jobs/job-runner.ts'
import type { PublishingContext } from '../../database/publishing-context.ts'
import {
  type Channel,
  finishNoticeTransaction,
  isNoticeDue,
  leaseNoticesTransaction,
  type Notice,
} from './notices.ts'

/** Undefined after success; otherwise the error, and the time of the next attempt, if any. */
export type Told = { error: string; nextAt: number | undefined } | undefined

/** Sends one notice. Throws only on internal errors: the notice is sent again when its lease expires. */
export type Teller = (notice: Notice) => Promise<Told>

export interface NoticeDispatcher {
  /** Leases no further notices; resolves when the running deliveries have ended. */
  stop(): Promise<void>
}

const intervalMs = 1000
const maxJobsPerChannel = 4

export function startNoticeDispatcher(
  { clock, database, log }: Pick<PublishingContext, 'clock' | 'database' | 'log'>,
  tellers: Partial<Record<Channel, Teller>>,
): NoticeDispatcher {
  async function send(notice: Notice, tell: Teller): Promise<void> {
    const told = await tell(notice)
    if (told) {
      const { channel, recipient, tries } = notice
      const { error, nextAt } = told
      const failure = { channel, recipient, tries: tries + 1, error }
      if (nextAt === undefined) log.warn(failure, 'a notice failed permanently')
      else log.info(failure, 'a notice failed; retrying later')
    }
    await database.write(finishNoticeTransaction, { notice, nextAt: told?.nextAt })
  }

  const runners = (Object.entries(tellers) as [Channel, Teller][]).map(([channel, tell]) =>
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
      run: (notice) => send(notice, tell),
      describe: () => ({ channel }),
    }),
  )
  database.onAnnouncement(() => {
    for (const runner of runners) runner.wake()
  })
  return {
    async stop() {
      await Promise.all(runners.map((runner) => runner.stop()))
    },
  }
}
