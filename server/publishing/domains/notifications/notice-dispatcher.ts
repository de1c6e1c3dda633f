// Sends notices to their recipients, in every process: woken by a commit here, and once a second for what
// others left. A few at once for each channel, so that a mail server or receiver that hangs holds up little.
import { startJobRunner } from '../../../platform/jobs/job-runner.ts'
import type { PublishingContext } from '../../database/publishing-context.ts'
import {
  type Channel,
  finishNoticeTransaction,
  isNoticeDue,
  leaseNoticesTransaction,
  type Notice,
} from './notices.ts'

/** Undefined when it is done; otherwise what went wrong, and when it is tried again, if at all. */
export type Told = { error: string; nextAt: number | undefined } | undefined

/** Tells one notice. What it throws is a fault of ours: the notice is told again when its claim lapses. */
export type Teller = (notice: Notice) => Promise<Told>

export interface NoticeDispatcher {
  /** Claims nothing more, and resolves when what is under way has ended. */
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
      if (nextAt === undefined) log.warn(failure, 'a notice is given up')
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
