// What is measured, in Prometheus' form. Counting is a few additions on the way of a request;
// the workers' numbers are added up when somebody asks (see cluster.ts).
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export interface Metrics {
  registry: Registry
  /** One answered request. `seconds` is from the parsed head to the end of the answer. */
  observeRequest(labels: RequestLabels, seconds: number): void
  countCache(cache: 'pages' | 'keys', result: 'hit' | 'miss'): void
  countDeprecatedCall(environment: string, operation: string, keyId: string): void
  observeDatabase(engine: string, seconds: number): void
}

export interface RequestLabels {
  environment: string
  operation: string
  status: number
}

const seconds = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
]

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'animal_store_requests_total',
    help: 'Answered requests by operation and status.',
    labelNames: ['environment', 'operation', 'status'],
    registers,
  })
  const latency = new Histogram({
    name: 'animal_store_request_seconds',
    help: 'Time from the parsed head to the end of the answer.',
    labelNames: ['environment', 'operation'],
    buckets: seconds,
    registers,
  })
  const caches = new Counter({
    name: 'animal_store_cache_lookups_total',
    help: 'Look-ups of ready pages and of verified keys.',
    labelNames: ['cache', 'result'],
    registers,
  })
  const deprecated = new Counter({
    name: 'animal_store_deprecated_calls_total',
    help: 'Calls of a deprecated operation, by the id of the key that made them.',
    labelNames: ['environment', 'operation', 'key_id'],
    registers,
  })
  const database = new Histogram({
    name: 'animal_store_database_seconds',
    help: 'Time of a read, or of a write from the queue to the disk.',
    labelNames: ['kind'],
    buckets: seconds,
    registers,
  })

  // Finding a metric's labels costs more than adding to it, so what was found is kept.
  const children = new Map<string, { count: Counter.Internal; time: Histogram.Internal<string> }>()
  return {
    registry,
    observeRequest(labels, duration) {
      const key = `${labels.environment} ${labels.operation} ${labels.status}`
      let child = children.get(key)
      if (!child) {
        const { environment, operation, status } = labels
        child = {
          count: requests.labels(environment, operation, `${status}`),
          time: latency.labels(environment, operation),
        }
        children.set(key, child)
      }
      child.count.inc()
      child.time.observe(duration)
    },
    countCache: (cache, result) => caches.labels(cache, result).inc(),
    countDeprecatedCall: (environment, operation, keyId) =>
      deprecated.labels(environment, operation, keyId).inc(),
    observeDatabase: (kind, duration) => database.labels(kind).observe(duration),
  }
}
