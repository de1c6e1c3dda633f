// Looks at something again and again until it is settled or the time is up. The waiting is the caller's.
import type { Clock } from '../../../platform/clock.ts'

export interface Looking {
  now: Clock
  /** Resolves after so many milliseconds, or rejects when the signal aborts. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>
  /** When to give up, in milliseconds since the epoch. */
  until: number
  signal?: AbortSignal | undefined
}

const firstMs = 100
const maxMs = 10_000
/** The longest that Retry-After is waited for; later moments are for a scheduler. */
const maxRetryAfterMs = 60_000

/**
 * The last of what `look` gave: settled, or as it was when the time was up. Between looks it waits until
 * `retryAt` where that is given, else for a tenth of a second, then twice as long each time, up to ten seconds.
 */
export async function pollUntil<Seen extends { retryAt: number | undefined }>(
  look: () => Promise<Seen>,
  isSettled: (seen: Seen) => boolean,
  { now, signal, until, wait }: Looking,
): Promise<Seen> {
  for (let pause = firstMs; ; pause = Math.min(pause * 2, maxMs)) {
    signal?.throwIfAborted()
    const seen = await look()
    if (isSettled(seen)) return seen
    const asked = seen.retryAt === undefined ? pause : seen.retryAt - now()
    const ms = Math.min(Math.max(asked, firstMs), maxRetryAfterMs)
    if (now() + ms > until) return seen
    await wait(ms, signal)
  }
}
