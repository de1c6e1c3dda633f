// When a mail that failed is sent again: for two days.
import type { MailOutcome } from '#kit/mail/send-mail.ts'
import type { NoticeFailure } from './notice-runner.ts'

const minute = 60_000
/** Minutes before each further attempt; the last one repeats. */
const backOff = [1, 5, 15, 60, 180, 360]
const givenUpAfterMs = 48 * 60 * minute

/** `tries`: attempts that have failed. */
interface Attempts {
  createdAt: number
  tries: number
}

/** Undefined once it is given up. */
export function nextAttemptAt({ createdAt, tries }: Attempts, now: number): number | undefined {
  const nextAt = now + (backOff[Math.min(tries, backOff.length - 1)] as number) * minute
  return nextAt - createdAt > givenUpAfterMs ? undefined : nextAt
}

export function failureOf(outcome: MailOutcome, attempts: Attempts, now: number): NoticeFailure {
  if (outcome === 'sent') return undefined
  if ('refused' in outcome) return { error: outcome.refused, nextAt: undefined }
  return { error: outcome.failed, nextAt: nextAttemptAt(attempts, now) }
}
