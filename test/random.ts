// Repeatable random numbers of the tests.

export interface Random {
  /** A whole number from 0 to below `end`. */
  below(end: number): number
  pick<T>(values: readonly T[]): T
  chance(share: number): boolean
}

/** A repeatable sequence for a seed (xorshift, 32 bits). */
export function createRandom(seed: number): Random {
  let state = seed | 0 || 1
  const below = (end: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % end
  }
  return {
    below,
    pick: (values) => values[below(values.length)] as never,
    chance: (share) => below(1_000_000) < share * 1_000_000,
  }
}
