// What is measured, in Prometheus' form. Counting is a few additions on the way of a request;
// the workers' numbers are added up when somebody asks (see cluster.ts).
import { collectDefaultMetrics, Registry } from 'prom-client'
import { distributions, tallies } from './tally.ts'

export interface Metrics {
  registry: Registry
  /** One answered request. `seconds` is from the parsed head to the end of the answer. */
  observeRequest(labels: RequestLabels, seconds: number): void
  countCache(cache: 'pages' | 'keys', result: 'hit' | 'miss'): void
  countDeprecatedCall(environment: string, operation: string, keyId: string): void
  /** A read, or a write from the queue to the disk. */
  observeDatabase(kind: 'read' | 'write', seconds: number): void
}

export interface RequestLabels {
  environment: string
  operation: string
  status: number
}

const bounds = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = tallies(
    registry,
    'animal_store_requests_total',
    'Answered requests by operation and status.',
  )
  const latencies = distributions(
    registry,
    'animal_store_request_seconds',
    'Time from the parsed head to the end of the answer.',
    bounds,
  )
  const lookups = tallies(
    registry,
    'animal_store_cache_lookups_total',
    'Look-ups of ready pages and of verified keys.',
  )
  const deprecated = tallies(
    registry,
    'animal_store_deprecated_calls_total',
    'Calls of a deprecated operation, by the id of the key that made them.',
  )
  const database = distributions(
    registry,
    'animal_store_database_seconds',
    'Time of a read, or of a write from the queue to the disk.',
    bounds,
  )
  const times = { read: database({ kind: 'read' }), write: database({ kind: 'write' }) }
  const caches = remember((cache: string) =>
    remember((result: string) => lookups({ cache, result })),
  )
  const calls = remember((environment: string) =>
    remember((operation: string) =>
      remember((keyId: string) => deprecated({ environment, operation, key_id: keyId })),
    ),
  )
  const answered = remember((environment: string) =>
    remember((operation: string) => ({
      latency: latencies({ environment, operation }),
      byStatus: remember((status: number) =>
        requests({ environment, operation, status: `${status}` }),
      ),
    })),
  )

  return {
    registry,
    observeRequest({ environment, operation, status }, seconds) {
      const { byStatus, latency } = answered(environment)(operation)
      byStatus(status).add()
      latency.observe(seconds)
    },
    countCache: (cache, result) => caches(cache)(result).add(),
    countDeprecatedCall: (environment, operation, keyId) =>
      calls(environment)(operation)(keyId).add(),
    observeDatabase: (kind, seconds) => times[kind].observe(seconds),
  }
}

/** Makes one for each value of a label. The values are few: names of ours, statuses, ids of keys. */
function remember<Key, T>(make: (key: Key) => T): (key: Key) => T {
  const made = new Map<Key, T>()
  return (key) => {
    let found = made.get(key)
    if (found === undefined) {
      found = make(key)
      made.set(key, found)
    }
    return found
  }
}
