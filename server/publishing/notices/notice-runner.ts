// Sends the notices of an outbox of publishing, a few at once, so that one slow receiver delays few others; and says when
// a mail that failed is sent again: for two days.
import type { MailOutcome } from '#kit/mail/send-mail.ts'
import { type Failure, type Message, type Outbox, startDelivery } from '#kit/outbox/outbox.ts'
import type { PublishingContext } from '../database/publishing-context.ts'

/** `tries`: attempts that have failed. */
interface Attempts {
  createdAt: number
  tries: number
}

const maxJobs = 4
const minute = 60_000
/** Minutes before each further attempt; the last one repeats. */
const backOff = [1, 5, 15, 60, 180, 360]
const givenUpAfterMs = 48 * 60 * minute

/** Sends those that `params` select. `send` throws only on internal errors. */
export function startNoticeRunner<
  Key,
  Params extends object,
  Notice extends Attempts & { recipient: string },
>(
  { clock, database, log }: Pick<PublishingContext, 'clock' | 'database' | 'log'>,
  outbox: Outbox<Key, Params, Notice>,
  { channel, params }: { channel: string; params: Params },
  send: (notice: Message<Key, Notice>) => Promise<Failure>,
) {
  return startDelivery<Message<Key, Notice>, Failure>({
    name: 'sending a notice',
    log,
    database,
    maxJobs,
    claim: (max) => outbox.claimDue(database, { ...params, max, now: clock() }),
    async send(notice) {
      const failure = await send(notice)
      if (failure) {
        const { error, nextAt } = failure
        const facts = { channel, recipient: notice.recipient, tries: notice.tries + 1, error }
        if (nextAt === undefined)
          log.warn({ event: 'notice.failed', ...facts }, 'a notice failed permanently')
        else log.info({ event: 'notice.delayed', ...facts }, 'a notice failed; retrying later')
      }
      return failure
    },
    finish: ({ lease }, failure) => outbox.finishTransaction(database, lease, failure?.nextAt),
    describe: () => ({ channel }),
  })
}

/** Undefined once it is given up. */
export function nextAttemptAt({ createdAt, tries }: Attempts, now: number): number | undefined {
  const nextAt = now + (backOff[Math.min(tries, backOff.length - 1)] as number) * minute
  return nextAt - createdAt > givenUpAfterMs ? undefined : nextAt
}

export function failureOf(outcome: MailOutcome, attempts: Attempts, now: number): Failure {
  if (outcome === 'sent') return undefined
  if ('refused' in outcome) return { error: outcome.refused, nextAt: undefined }
  return { error: outcome.failed, nextAt: nextAttemptAt(attempts, now) }
}
