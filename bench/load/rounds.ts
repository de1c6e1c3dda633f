// Runs servers in alternating rounds, A B C, then B C A, and so on: no server always follows the same one, and
// slow changes of the machine affect all of them.

import { cpuPerRequestUs } from '../results/compare-rounds.ts'
import type { Sample } from '../results/sample.ts'

const warmUpSeconds = 2
const maxWarmUpMs = 30_000
/** The warm-up is over when the processor time per request is above this share of the lowest one so far. */
const steadyShare = 0.95

export type Contestant = (round: number, seconds: number) => Promise<Sample>

export interface RoundsOptions {
  rounds: number
  seconds: number
}

/** Runs one uncounted warm-up each, then the rounds. Returns the samples of each contestant, one per round. */
export async function runRounds(
  contestants: Contestant[],
  { rounds, seconds }: RoundsOptions,
): Promise<Sample[][]> {
  for (const run of contestants) await run(0, warmUpSeconds)
  return await alternate(
    contestants.map((run) => (round: number) => run(round, seconds)),
    rounds,
  )
}

/** Returns the results of each function, one per round. The first round has the number 1. */
export async function alternate<T>(
  runs: ((round: number) => Promise<T>)[],
  rounds: number,
): Promise<T[][]> {
  const results: T[][] = runs.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < runs.length; turn++) {
      const index = (round + turn) % runs.length
      const run = runs[index]
      if (run) results[index]?.push(await run(round + 1))
    }
  }
  return results
}

/**
 * Repeats `run` for at least `minRequests` requests, until the processor time per request no longer falls: on a
 * busy machine, just-in-time compilation takes longer than a warm-up of fixed length.
 */
export async function warmUp(minRequests: number, run: () => Promise<Sample>): Promise<void> {
  const deadline = performance.now() + maxWarmUpMs
  let requests = 0
  let lowestUs = Number.POSITIVE_INFINITY
  while (performance.now() < deadline) {
    const sample = await run()
    const cpuUs = cpuPerRequestUs([sample])
    requests += sample.requests
    if (requests >= minRequests && cpuUs > steadyShare * lowestUs) return
    lowestUs = Math.min(lowestUs, cpuUs)
  }
}
