// Prometheus metrics. Counting costs a few additions per request; the workers' values are aggregated on
// request (see cluster.ts).
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { counter, histogram, sharedGauge } from './tally.ts'

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
      for (const { count, labels } of requests.all) {
        const sum = counts.get(labels.environment ?? '')
        if (sum && Number(labels.status) >= 500) sum.errors += count
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
