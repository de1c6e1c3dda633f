// Latency quantiles (p50, p95, p99) from histogram counts.

/**
 * Estimates the quantile `q` in milliseconds; null without any counts. `bounds` are in seconds and ascend.
 * `counts` has one more entry, for values above the last bound, which are reported as the last bound.
 */
export function latencyQuantile(
  q: number,
  counts: readonly number[],
  bounds: readonly number[],
): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = q * total
  let before = 0
  for (const [i, count] of counts.entries()) {
    if (before + count < rank || count === 0) {
      before += count
      continue
    }
    const from = i === 0 ? 0 : (bounds[i - 1] as number)
    const to = bounds[i] ?? from
    return round(1000 * (from + ((to - from) * (rank - before)) / count))
  }
  return round(1000 * (bounds.at(-1) ?? 0))
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}
