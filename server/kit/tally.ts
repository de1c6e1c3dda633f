// Fast counters and histograms: prom-client's own cost a microsecond per update, which is too slow for the
// request path. They are registered in its registry like other metrics.
import type { Metric, Registry } from 'prom-client'

type Labels = Record<string, string>

interface Sample {
  labels: Labels
  metricName?: string
  value: number
}

/** What was counted with these labels. */
interface Tally {
  readonly labels: Labels
  count: number
}

/** Of one label, at most: more than there should be. The others together are `others`, so that memory stays bounded. */
const maxValues = 1000

interface Node<Entry> {
  labels: Labels
  byValue: Map<string, Node<Entry>>
  entry: Entry | undefined
}

/** One entry for each set of values of the labels `names`: fixed names, statuses, ids of keys. */
function byLabels<Entry>(names: readonly string[], create: (labels: Labels) => Entry) {
  const all: Entry[] = []
  const root: Node<Entry> = { labels: {}, byValue: new Map(), entry: undefined }

  function enter({ byValue, labels }: Node<Entry>, value: string, name: string): Node<Entry> {
    const key = byValue.size < maxValues ? value : 'others'
    const known = byValue.get(key)
    if (known) return known
    const node = { labels: { ...labels, [name]: key }, byValue: new Map(), entry: undefined }
    byValue.set(key, node)
    return node
  }

  return {
    all: all as readonly Entry[],
    entryOf(values: readonly string[]): Entry {
      let node = root
      for (let i = 0; i < values.length; i++) {
        const value = values[i] as string
        node = node.byValue.get(value) ?? enter(node, value, names[i] as string)
      }
      if (!node.entry) {
        node.entry = create(node.labels)
        all.push(node.entry)
      }
      return node.entry
    },
  }
}

/** A counter, by the values of its labels. */
export function counter<Values extends string[]>(
  registry: Registry,
  name: string,
  help: string,
  labels: { [I in keyof Values]: string },
) {
  const { all, entryOf } = byLabels(labels as string[], (labels): Tally => ({ labels, count: 0 }))
  register(registry, name, help, 'counter', () =>
    all.map(({ count, labels }) => ({ labels, value: count })),
  )
  return {
    all,
    /** Counts one. */
    add: (...values: Values): void => {
      entryOf(values).count++
    },
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

/** A histogram, by the values of its labels. `bounds` ascend. */
export function histogram<Values extends string[]>(
  registry: Registry,
  name: string,
  help: string,
  labels: { [I in keyof Values]: string },
  bounds: readonly number[],
) {
  const create = (labels: Labels) => ({
    labels,
    sum: 0,
    /** Of values up to each bound, and above the last one. */
    counts: new Array<number>(bounds.length + 1).fill(0),
  })
  const { all, entryOf } = byLabels(labels as string[], create)
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

  return {
    all,
    observe(value: number, ...values: Values): void {
      const entry = entryOf(values)
      let i = 0
      while (i < bounds.length && value > (bounds[i] as number)) i++
      entry.counts[i] = (entry.counts[i] as number) + 1
      entry.sum += value
    },
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
