// Fast counters and histograms: prom-client's own cost a microsecond per update, which is too slow for the
// request path. They are registered in its registry like other metrics.
import type { Metric, Registry } from 'prom-client'

type Labels = Record<string, string>

interface Sample {
  labels: Labels
  metricName?: string
  value: number
}

export interface Tally {
  /** The current count. */
  readonly count: number
  add(): void
}

export interface Distribution {
  /** The current counts of values up to each bound, and above the last one. */
  readonly counts: readonly number[]
  observe(value: number): void
}

/** A counter for each set of labels. Keep the returned tally: each call creates a new one. */
export function tallies(registry: Registry, name: string, help: string): (labels: Labels) => Tally {
  const all: { labels: Labels; count: number }[] = []
  register(registry, name, help, 'counter', () =>
    all.map(({ count, labels }) => ({ labels, value: count })),
  )
  return (labels) => {
    const entry = { labels, count: 0 }
    all.push(entry)
    return {
      get count() {
        return entry.count
      },
      add: () => {
        entry.count++
      },
    }
  }
}

/** A gauge whose value is read on request, and summed over all processes. */
export function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  register(registry, name, help, 'gauge', () => [{ labels: {}, value: read() }])
}

/**
 * A gauge that reads the same value, or one for each set of labels, in every process of the machine; without a value if
 * that is undefined or fails.
 */
export function sharedGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => Promise<number | undefined | Sample[]>,
): void {
  // Between processes, NaN and Infinity would become null.
  const collect = async (): Promise<Sample[]> => {
    const value = (await read().catch(() => undefined)) ?? []
    return typeof value === 'number' ? [{ labels: {}, value }] : value
  }
  register(registry, name, help, 'gauge', collect, 'max')
}

/** A histogram for each set of labels; `bounds` ascend. Keep the returned distribution. */
export function distributions(
  registry: Registry,
  name: string,
  help: string,
  bounds: readonly number[],
): (labels: Labels) => Distribution {
  const all: { labels: Labels; sum: number; counts: number[] }[] = []
  register(registry, name, help, 'histogram', () => all.flatMap(samples))

  function samples({ counts, labels, sum }: (typeof all)[number]): Sample[] {
    let total = 0
    const buckets = counts.map((count, i) => {
      total += count
      const le = String(bounds[i] ?? '+Inf')
      return { labels: { le, ...labels }, metricName: `${name}_bucket`, value: total }
    })
    return [
      ...buckets,
      { labels, metricName: `${name}_sum`, value: sum },
      { labels, metricName: `${name}_count`, value: total },
    ]
  }

  return (labels) => {
    const entry = { labels, sum: 0, counts: new Array<number>(bounds.length + 1).fill(0) }
    all.push(entry)
    return {
      counts: entry.counts,
      observe(value) {
        let i = 0
        while (i < bounds.length && value > (bounds[i] as number)) i++
        entry.counts[i] = (entry.counts[i] as number) + 1
        entry.sum += value
      },
    }
  }
}

function register(
  registry: Registry,
  name: string,
  help: string,
  type: string,
  values: () => Sample[] | Promise<Sample[]>,
  aggregator: 'sum' | 'max' = 'sum',
): void {
  const get = async (): Promise<object> => ({
    name,
    help,
    type,
    aggregator,
    values: await values(),
  })
  // A registry uses only a metric's name and these two functions.
  registry.registerMetric({ name, get, reset: () => {} } as unknown as Metric<string>)
}
