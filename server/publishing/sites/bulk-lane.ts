// Reading much costs SQLite, and so the event loop, milliseconds at a time: one such read at a time, and
// a rest after it as long as it took. However many ask for large files, small ones keep half the time.
import { setTimeout as delay } from 'node:timers/promises'

export type BulkLane = <T>(read: () => Promise<T>) => Promise<T>

const longestRestMs = 100

/** Runs what it is given in order. */
export function createBulkLane(): BulkLane {
  let last: Promise<unknown> = Promise.resolve()

  async function timed<T>(read: () => Promise<T>): Promise<{ value: T; tookMs: number }> {
    const start = performance.now()
    const value = await read()
    return { value, tookMs: performance.now() - start }
  }

  return async (read) => {
    const mine = last.then(() => timed(read))
    last = mine.then(
      ({ tookMs }) => (tookMs < 1 ? undefined : delay(Math.min(tookMs, longestRestMs))),
      () => undefined,
    )
    return (await mine).value
  }
}
