// Polls a resource until it is settled or the time is up.
import type { Clock } from '#kit/clock.ts'

const firstMs = 100
const maxMs = 10_000
/** The longest wait for Retry-After; later times are for a scheduler. */
const maxRetryAfterMs = 60_000

/**
 * The last result of `look`: settled, or as it was at `until` (milliseconds since the epoch). Waits until `retryAt`
 * where that is given, otherwise a tenth of a second, doubled each time, up to ten seconds. `wait` rejects when the
 * signal aborts.
 */
export async function pollUntil<Seen extends { retryAt: number | undefined }>(
  look: () => Promise<Seen>,
  isSettled: (seen: Seen) => boolean,
  {
    now,
    signal,
    until,
    wait,
  }: {
    now: Clock
    wait(ms: number, signal: AbortSignal | undefined): Promise<void>
    until: number
    signal?: AbortSignal | undefined
  },
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
