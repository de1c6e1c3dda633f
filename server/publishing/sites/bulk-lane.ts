// Reading much costs SQLite, and so the event loop, milliseconds at a time: one such read at a time, and
// a pause after it as long as it took. However many ask for large files, small ones keep half the time.
import { createFairSemaphore } from '../../platform/fair-semaphore.ts'

export type BulkLane = <T>(read: () => Promise<T>) => Promise<T>

const maxPauseMs = 100

/** Runs what it is given in order. */
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
