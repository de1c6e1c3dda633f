// What was counted in between.
import type { RequestCounts } from '../metrics.ts'

/** By environment: `later` without `earlier`, where anything is left. */
export function subtractCounts(
  later: ReadonlyMap<string, RequestCounts>,
  earlier: ReadonlyMap<string, RequestCounts>,
): Map<string, RequestCounts> {
  const left = new Map<string, RequestCounts>()
  for (const [environment, { byLatency, errors }] of later) {
    const before = earlier.get(environment)
    const counts = {
      errors: errors - (before?.errors ?? 0),
      byLatency: byLatency.map((count, i) => count - (before?.byLatency[i] ?? 0)),
    }
    if (counts.errors > 0 || counts.byLatency.some((count) => count > 0))
      left.set(environment, counts)
  }
  return left
}
