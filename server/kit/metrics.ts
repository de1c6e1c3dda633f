// Prometheus metrics. Counting costs a few additions per request; the workers' values are aggregated on
// request (see cluster.ts).
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { type Distribution, distributions, sharedGauge, type Tally, tallies } from './tally.ts'

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

/** Of an operation, as a label. Others together are `others`: the metrics and their memory stay bounded. */
const keysCounted = { max: 1000, others: 'others' }

export function createMetrics() {
  const registry = Registry.merge([processMetrics()])
  const attempts = tallies(
    registry,
    'animal_store_webhook_attempts_total',
    'Webhook delivery attempts by result.',
  )
  const deploys = tallies(registry, 'animal_store_deploys_total', 'Finished deploys by result.')
  const certificates = tallies(
    registry,
    'animal_store_certificates_total',
    'Certificate requests by authority and result.',
  )
  const clockSkew = new Gauge({
    name: 'animal_store_clock_skew_seconds',
    help: "How far the machine's clock is ahead of the database's; negative: behind.",
    registers: [registry],
    aggregator: 'first',
  })
  const requests = tallies(
    registry,
    'animal_store_requests_total',
    'Requests by operation and status.',
  )
  const latencies = distributions(
    registry,
    'animal_store_request_seconds',
    'Request duration from the parsed head to the end of the response.',
    latencyBounds,
  )
  const lookups = tallies(
    registry,
    'animal_store_cache_lookups_total',
    'Cache lookups of pages and API keys by result.',
  )
  const deprecated = tallies(
    registry,
    'animal_store_deprecated_calls_total',
    'Calls of deprecated operations by API key ID.',
  )
  const database = distributions(
    registry,
    'animal_store_database_seconds',
    'Duration of database reads, and of writes from queueing to commit.',
    latencyBounds,
  )
  const times = { read: database({ kind: 'read' }), write: database({ kind: 'write' }) }
  const caches = remember((cache: string) =>
    remember((result: string) => lookups({ cache, result })),
  )
  const sent = remember((environment: string) =>
    remember((result: string) => attempts({ environment, result })),
  )
  const built = remember((result: string) => deploys({ result }))
  const issued = remember((authority: string) =>
    remember((result: string) => certificates({ authority, result })),
  )
  const calls = remember((environment: string) =>
    remember((operation: string) =>
      remember(
        (keyId: string) => deprecated({ environment, operation, key_id: keyId }),
        keysCounted,
      ),
    ),
  )
  const errors: { environment: string; tally: Tally }[] = []
  const observed: { environment: string; latency: Distribution }[] = []
  const answered = remember((environment: string) =>
    remember((operation: string) => {
      const latency = latencies({ environment, operation })
      observed.push({ environment, latency })
      const byStatus = remember((status: number) => {
        const tally = requests({ environment, operation, status: `${status}` })
        if (status >= 500) errors.push({ environment, tally })
        return tally
      })
      return { latency, byStatus }
    }),
  )

  return {
    registry,
    /** Counts a request. `seconds` is the time from the parsed head to the end of the response. */
    observeRequest({ environment, operation, status }: RequestLabels, seconds: number) {
      const { byStatus, latency } = answered(environment)(operation)
      byStatus(status).add()
      latency.observe(seconds)
    },
    /** The requests of this process so far, by environment. */
    requestCounts() {
      const counts = new Map<string, RequestCounts>()
      for (const { environment, latency } of observed) {
        const sum = counts.get(environment)?.byLatency
        const byLatency = latency.counts.map((count, i) => count + (sum?.[i] ?? 0))
        counts.set(environment, { errors: 0, byLatency })
      }
      for (const { environment, tally } of errors) {
        const sum = counts.get(environment)
        if (sum) sum.errors += tally.count
      }
      return counts
    },
    countCache: (cache: 'pages' | 'keys', result: 'hit' | 'miss') => caches(cache)(result).add(),
    countDeprecatedCall: (environment: string, operation: string, keyId: string) =>
      calls(environment)(operation)(keyId).add(),
    /** The time of a read, or of a write from queueing to commit. */
    observeDatabase: (kind: 'read' | 'write', seconds: number) => times[kind].observe(seconds),
    countWebhookAttempt: (environment: string, result: 'delivered' | 'to_retry' | 'given_up') =>
      sent(environment)(result).add(),
    countDeploy: (result: 'live' | 'failed') => built(result).add(),
    /** By the authority's name and the result of the certificate request. */
    countCertificate: (authority: string, result: 'issued' | 'renewed' | 'failed') =>
      issued(authority)(result).add(),
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

/** Creates one value per label value. There are few: fixed names, statuses and key IDs. Keys beyond `limit.max` share one value, that of `limit.others`. */
function remember<Key, T>(
  make: (key: Key) => T,
  limit?: { max: number; others: Key },
): (key: Key) => T {
  const made = new Map<Key, T>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const own = limit === undefined || made.size < limit.max ? key : limit.others
    const found = made.get(own) ?? make(own)
    made.set(own, found)
    return found
  }
}
