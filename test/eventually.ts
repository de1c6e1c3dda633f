// Waits for what happens beside the test and announces itself to nobody: looks again and again until it is so.
import { setTimeout as delay } from 'node:timers/promises'

/** The first thing seen that is as wished. Rejects with what was seen last when the time is up. */
export async function eventually<T>(
  look: () => Promise<T>,
  isSo: (seen: T) => boolean,
  withinMs = 15_000,
): Promise<T> {
  const until = performance.now() + withinMs
  for (;;) {
    const seen = await look()
    if (isSo(seen)) return seen
    if (performance.now() > until) throw new Error(`it stayed as it was: ${JSON.stringify(seen)}`)
    await delay(25)
  }
}
