// What share of requests was answered within which time, from counts by time.

/**
 * The time in milliseconds within which the share `q` was answered, as near as the counts tell; null without
 * any. `bounds` are in seconds and ascend; `counts` has one more, for what took longer than the last bound,
 * which is then what is given.
 */
export function latencyQuantile(
  q: number,
  counts: readonly number[],
  bounds: readonly number[],
): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const wanted = q * total
  let before = 0
  for (const [i, count] of counts.entries()) {
    if (before + count < wanted || count === 0) {
      before += count
      continue
    }
    const from = i === 0 ? 0 : (bounds[i - 1] as number)
    const to = bounds[i] ?? from
    return round(1000 * (from + ((to - from) * (wanted - before)) / count))
  }
  return round(1000 * (bounds.at(-1) ?? 0))
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}
