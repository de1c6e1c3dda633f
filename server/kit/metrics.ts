// Prometheus metrics: those of the process, and the counters, gauges and histograms that they are made of. prom-client's own
// cost a microsecond per update, which is too slow for the request path; these cost a few additions, and are registered in
// its registry like other metrics. The workers' values are aggregated on request (see cluster.ts).
import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'

type ReadQueue = () => Promise<{ length: number; oldestSeconds: number }>

export interface RequestCounts {
  /** Responses with a 5xx status. */
  errors: number
  /** Responses by latency: one count for each of `latencyBounds`, and one for longer times. */
  byLatency: number[]
}

interface RequestLabels {
  environment: string
  operation: string
  status: number
}

/** In seconds. */
export const latencyBounds = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
]

let ofProcess: Registry | undefined

/** Memory, event loop and garbage collection. Collected once in a process: what observes them cannot be stopped. */
function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
  }
  return ofProcess
}

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = Registry.merge([processMetrics()])
  const clockSkew = new Gauge({
    name: 'animal_store_clock_skew_seconds',
    help: "How far the machine's clock is ahead of the database's; negative: behind.",
    registers: [registry],
    aggregator: 'first',
  })
  const requests = counter<[environment: string, operation: string, status: string]>(
    registry,
    'animal_store_requests_total',
    'Requests by operation and status.',
    ['environment', 'operation', 'status'],
  )
  const latencies = histogram<[environment: string, operation: string]>(
    registry,
    'animal_store_request_seconds',
    'Request duration from the parsed head to the end of the response.',
    ['environment', 'operation'],
    latencyBounds,
  )

  return {
    registry,
    /** Counts a request. `seconds` is the time from the parsed head to the end of the response. */
    observeRequest({ environment, operation, status }: RequestLabels, seconds: number) {
      requests.add(environment, operation, `${status}`)
      latencies.observe(seconds, environment, operation)
    },
    /** The requests of this process so far, by environment. */
    requestCounts() {
      const counts = new Map<string, RequestCounts>()
      for (const { counts: added, labels } of latencies.all) {
        const { environment = '' } = labels
        const sum = counts.get(environment)?.byLatency
        const byLatency = added.map((count, i) => count + (sum?.[i] ?? 0))
        counts.set(environment, { errors: 0, byLatency })
      }
      for (const { labels, sum: responses } of requests.all) {
        const sum = counts.get(labels.environment ?? '')
        if (sum && Number(labels.status) >= 500) sum.errors += responses
      }
      return counts
    },
    countCache: counter<[cache: 'pages' | 'keys', result: 'hit' | 'miss']>(
      registry,
      'animal_store_cache_lookups_total',
      'Cache lookups of pages and API keys by result.',
      ['cache', 'result'],
    ).add,
    countDeprecatedCall: counter<[environment: string, operation: string, keyId: string]>(
      registry,
      'animal_store_deprecated_calls_total',
      'Calls of deprecated operations by API key ID.',
      ['environment', 'operation', 'key_id'],
    ).add,
    /** The time of a read, or of a write from queueing to commit. */
    observeDatabase: histogram<[kind: 'read' | 'write']>(
      registry,
      'animal_store_database_seconds',
      'Duration of database reads, and of writes from queueing to commit.',
      ['kind'],
      latencyBounds,
    ).observe,
    countWebhookAttempt: counter<
      [environment: string, result: 'delivered' | 'to_retry' | 'given_up']
    >(registry, 'animal_store_webhook_attempts_total', 'Webhook delivery attempts by result.', [
      'environment',
      'result',
    ]).add,
    countDeploy: counter<[result: 'live' | 'failed']>(
      registry,
      'animal_store_deploys_total',
      'Finished deploys by result.',
      ['result'],
    ).add,
    /** By the authority's name and the result of the certificate request. */
    countCertificate: counter<[authority: string, result: 'issued' | 'renewed' | 'failed']>(
      registry,
      'animal_store_certificates_total',
      'Certificate requests by authority and result.',
      ['authority', 'result'],
    ).add,
    /** Negative: behind the database's. */
    setClockSkew: (seconds: number) => clockSkew.set(seconds),
    /** `read` returns the number of pending deliveries and the age of the oldest event. */
    watchWebhookQueue: watchQueues(registry),
    /** `read` returns the age of the last good backup in seconds; undefined if there is none. */
    watchBackups: (read: () => Promise<number | undefined>) =>
      sharedGauge(
        registry,
        'animal_store_backup_age_seconds',
        'Age of the last good scheduled backup.',
        read,
      ),
  }
}

/** The queues are read once for both gauges. Gives what adds one. */
function watchQueues(registry: Registry) {
  const queues = new Map<string, ReadQueue>()
  let reading: ReturnType<typeof readAll> | undefined
  const readAll = () =>
    Promise.all(
      [...queues].map(async ([environment, read]) => ({
        labels: { environment },
        // The other metrics are available without the database, too.
        queue: await read().catch(() => undefined),
      })),
    ).finally(() => {
      reading = undefined
    })
  const watch = (name: string, help: string, part: keyof Awaited<ReturnType<ReadQueue>>): void =>
    sharedGauge(registry, name, help, async () => {
      reading ??= readAll()
      const all = await reading
      return all.flatMap(({ labels, queue }) => (queue ? { labels, value: queue[part] } : []))
    })
  watch(
    'animal_store_webhook_queue_length',
    'Pending webhook deliveries, counted up to 100,000.',
    'length',
  )
  watch(
    'animal_store_webhook_oldest_seconds',
    'Age of the oldest undelivered event.',
    'oldestSeconds',
  )
  return (environment: string, read: ReadQueue) => void queues.set(environment, read)
}

type Labels = Record<string, string>

interface Sample {
  labels: Labels
  metricName?: string
  value: number
}

/** What was counted with these labels, or observed. */
interface Tally {
  readonly labels: Labels
  /** How often, or the sum of a histogram's values. */
  sum: number
  /** Of a histogram's values up to each bound, and above the last one. */
  counts: number[]
}

/** Of one label, at most: more than there should be. The others together are `others`, so that memory stays bounded. */
const maxValues = 1000

interface Node {
  labels: Labels
  byValue: Map<string, Node>
  tally: Tally | undefined
}

/** One tally for each set of values of the labels `names`: fixed names, statuses, ids of keys. */
function byLabels(names: readonly string[], bounds: readonly number[] = []) {
  const all: Tally[] = []
  const root: Node = { labels: {}, byValue: new Map(), tally: undefined }

  return {
    all: all as readonly Tally[],
    tallyOf(values: readonly string[]): Tally {
      let node = root
      for (let i = 0; i < values.length; i++) {
        const { byValue, labels }: Node = node
        const value = values[i] as string
        let next = byValue.get(value)
        if (!next) {
          const key = byValue.size < maxValues ? value : 'others'
          const more = { ...labels, [names[i] as string]: key }
          next = byValue.get(key) ?? { labels: more, byValue: new Map(), tally: undefined }
          byValue.set(key, next)
        }
        node = next
      }
      if (!node.tally) {
        const counts = new Array<number>(bounds.length + 1).fill(0)
        node.tally = { labels: node.labels, sum: 0, counts }
        all.push(node.tally)
      }
      return node.tally
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
  const { all, tallyOf } = byLabels(labels as string[])
  register(registry, name, help, 'counter', () =>
    all.map(({ labels, sum }) => ({ labels, value: sum })),
  )
  return {
    all,
    /** Counts one. */
    add: (...values: Values): void => {
      tallyOf(values).sum++
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
  const { all, tallyOf } = byLabels(labels as string[], bounds)
  register(registry, name, help, 'histogram', () => all.flatMap(samples))

  function samples({ counts, labels, sum }: Tally): Sample[] {
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
      const tally = tallyOf(values)
      let i = 0
      while (i < bounds.length && value > (bounds[i] as number)) i++
      tally.counts[i] = (tally.counts[i] as number) + 1
      tally.sum += value
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
