// Alternated rounds: A B C, then B C A, … so that no contestant always follows the same one and
// slow drifts of the machine fall on all. A warm-up of each is not counted.

import type { Sample } from './wrk.ts'

const warmUpSeconds = 2

export interface Contestant {
  run(round: number, seconds: number): Promise<Sample>
}

export interface RoundsOptions {
  rounds: number
  seconds: number
}

/** Samples by contestant, in its place, one for each round. */
export async function runRounds(
  contestants: Contestant[],
  { rounds, seconds }: RoundsOptions,
): Promise<Sample[][]> {
  for (const contestant of contestants) await contestant.run(0, warmUpSeconds)
  return await alternate(
    contestants.map((contestant) => (round: number) => contestant.run(round, seconds)),
    rounds,
  )
}

/** What each run gave, in its place, one for each round, counted from 1. */
export async function alternate<T>(
  runs: ((round: number) => Promise<T>)[],
  rounds: number,
): Promise<T[][]> {
  const found: T[][] = runs.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < runs.length; turn++) {
      const index = (round + turn) % runs.length
      const run = runs[index]
      if (run) found[index]?.push(await run(round + 1))
    }
  }
  return found
}
