// Polls until a condition holds, for events outside the test that send no notification.
import { setTimeout as delay } from 'node:timers/promises'

/** Looks in each turn of the event loop, for events in this process. */
export async function until(isMet: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isMet())) await new Promise((resolve) => setImmediate(resolve))
}

/** Resolves with the first value that meets the condition. Rejects with the last value after the time-out. */
export async function eventually<T>(
  look: () => Promise<T>,
  isMet: (seen: T) => boolean,
  withinMs = 100_000,
): Promise<T> {
  const until = performance.now() + withinMs
  for (;;) {
    const seen = await look()
    if (isMet(seen)) return seen
    if (performance.now() > until)
      throw new Error(`timed out; the last value: ${JSON.stringify(seen)}`)
    await delay(25)
  }
}
