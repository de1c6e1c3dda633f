// Large reads block SQLite, and with it the event loop, for milliseconds. They run one at a time, each followed by a
// pause of the same length, so that requests for small files always get half of the time.
import { createFairSemaphore } from '#kit/fair-semaphore.ts'

type BulkLane = <T>(read: () => Promise<T>) => Promise<T>

const maxPauseMs = 100

/** Runs reads in the order of the calls. */
export function createBulkLane(): BulkLane {
  const reads = createFairSemaphore({ maxPermits: 1 })
  return async (read) => {
    const release = await reads.acquire('all')
    const start = performance.now()
    try {
      return await read()
    } finally {
      const tookMs = performance.now() - start
      if (tookMs < 1) release()
      else setTimeout(release, Math.min(tookMs, maxPauseMs))
    }
  }
}
