// Runs before any that counts: what is compiled as it is used is compiled first, which on a busy machine takes
// longer than a warm-up of fixed length.

import { cpuPerRequestUs } from './results.ts'
import type { Sample } from './wrk.ts'

const most = 8
const isSettledFrom = 0.95

/** Repeats `run` until its server's processor time for a request falls no more. */
export async function settle(run: () => Promise<Sample>): Promise<void> {
  let before = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < most; turn++) {
    const now = cpuPerRequestUs([await run()])
    if (now > isSettledFrom * before) return
    before = now
  }
}
