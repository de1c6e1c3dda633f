// Sends the notices of domains to their recipients, each channel by a runner of its own.
import type { PublishingContext } from '#publishing/database/publishing-context.ts'
import { type NoticeFailure, startNoticeRunner } from '#publishing/notices/notice-runner.ts'
import {
  type Channel,
  finishNotice,
  isNoticeDue,
  leaseNoticesTransaction,
  type Notice,
} from './notices.ts'

/** Sends one notice. Throws only on internal errors: the notice is sent again when its lease expires. */
export type SendNotice = (notice: Notice) => Promise<NoticeFailure>

export function startNoticeDispatcher(
  context: Pick<PublishingContext, 'clock' | 'database' | 'log'>,
  senders: Partial<Record<Channel, SendNotice>>,
) {
  const { database } = context
  const runners = (Object.entries(senders) as [Channel, SendNotice][]).map(([channel, send]) =>
    startNoticeRunner<Notice>(
      context,
      {
        isDue: (now) => isNoticeDue(database.read, { channel, now }),
        lease: (max, now) => database.write(leaseNoticesTransaction, { channel, max, now }),
        finish: (notice, nextAt) => finishNotice(database, { notice, nextAt }),
        factsOf: ({ recipient, tries }) => ({ channel, recipient, tries }),
      },
      send,
    ),
  )
  return {
    /** Leases no further notices; resolves when the running deliveries have ended. */
    async stop() {
      await Promise.all(runners.map((runner) => runner.stop()))
    },
  }
}
