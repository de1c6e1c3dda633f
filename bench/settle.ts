// Runs before any that counts: what is compiled as it is used is compiled first, which on a busy machine takes
// longer than a warm-up of fixed length.

import { cpuPerRequestUs } from './results.ts'
import type { Sample } from './wrk.ts'

const withinMs = 30_000
const isSettledFrom = 0.95

/** Repeats `run` until it has had so many requests, and the processor time for one falls no more. */
export async function settle(requests: number, run: () => Promise<Sample>): Promise<void> {
  const until = performance.now() + withinMs
  let done = 0
  let least = Number.POSITIVE_INFINITY
  while (performance.now() < until) {
    const sample = await run()
    const now = cpuPerRequestUs([sample])
    done += sample.requests
    if (done >= requests && now > isSettledFrom * least) return
    least = Math.min(least, now)
  }
}
