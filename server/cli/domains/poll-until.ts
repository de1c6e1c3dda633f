// --wait of commands that ask the server the same again until its answer is the one that is waited for.
import { setTimeout as delay } from 'node:timers/promises'

/** The server may restart meanwhile. */
const outages = ['unreachable', 'unavailable', 'rate_limited']

/** Resolves to the first answer that is awaited, or to the last one before the time-out. Throws errors of the server. */
export async function pollUntil<Answer>(
  ask: () => Promise<Answer>,
  {
    everyMs,
    isAwaited,
    onPoll,
    timeoutMs,
  }: {
    everyMs: number
    isAwaited(seen: Answer): boolean
    /** Called with each answer that is not the last. */
    onPoll(seen: Answer): void
    timeoutMs: number
  },
): Promise<Answer> {
  const until = performance.now() + timeoutMs
  for (;;) {
    try {
      const seen = await ask()
      if (isAwaited(seen) || performance.now() >= until) return seen
      onPoll(seen)
    } catch (error) {
      const { code = '' } = error as { code?: string }
      if (!outages.includes(code) || performance.now() >= until) throw error
    }
    await delay(Math.min(everyMs, Math.max(1, until - performance.now())))
  }
}
