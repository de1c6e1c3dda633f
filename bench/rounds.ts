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
  const samples: Sample[][] = contestants.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const index = (round + turn) % contestants.length
      const sample = await contestants[index]?.run(round + 1, seconds)
      if (sample) samples[index]?.push(sample)
    }
  }
  return samples
}
