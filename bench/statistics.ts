// Medians and spreads of rounds. Ratios are taken within a round, then their median, so that
// noise that lasts longer than a round falls on both sides.

export interface Spread {
  median: number
  min: number
  max: number
}

/** Throws a RangeError on an empty list: a median of nothing is a mistake of the caller. */
export function spreadOf(values: number[]): Spread {
  if (values.length === 0) throw new RangeError('no values to take a median of')
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2
  return { median, min: at(0), max: at(sorted.length - 1) }
}

/** Ours divided by theirs, round by round. */
export function ratioOf(ours: number[], theirs: number[]): Spread {
  if (ours.length !== theirs.length) throw new RangeError('rounds do not match')
  return spreadOf(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)))
}

/** Of values in ascending order, one that is there; NaN where there is none. */
export function percentile(sorted: number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
}
