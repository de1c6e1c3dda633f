// Medians, spreads and percentiles. A ratio is computed within each round before the median is taken, so
// that noise which lasts longer than a round affects both sides.

export interface Spread {
  median: number
  min: number
  max: number
}

/** Throws a RangeError if the list is empty. */
export function spreadOf(values: number[]): Spread {
  if (values.length === 0) throw new RangeError('no values to take a median of')
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? at(middle) : (at(middle - 1) + at(middle)) / 2
  return { median, min: at(0), max: at(sorted.length - 1) }
}

/** Throws a RangeError if the list is empty. */
export function medianOf(values: number[]): number {
  return spreadOf(values).median
}

/** The values of one side divided by those of the other, round by round. */
export function ratioOf(values: number[], peerValues: number[]): Spread {
  if (values.length !== peerValues.length) throw new RangeError('rounds do not match')
  return spreadOf(values.map((value, round) => value / (peerValues[round] ?? Number.NaN)))
}

/** One of the values, which must be in ascending order; NaN if there are none. `share`: 0.5 for the p50. */
export function percentileOf(sorted: number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
}
