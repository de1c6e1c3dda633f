// What is measured, in Prometheus' form. Counting is a few additions on the way of a request;
// the workers' numbers are added up when somebody asks (see cluster.ts).
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { type Distribution, distributions, type Tally, tallies } from './tally.ts'

export interface Metrics {
  registry: Registry
  /** One answered request. `seconds` is from the parsed head to the end of the answer. */
  observeRequest(labels: RequestLabels, seconds: number): void
  /** What this process has answered so far, by environment. */
  requestCounts(): Map<string, RequestCounts>
  countCache(cache: 'pages' | 'keys', result: 'hit' | 'miss'): void
  countDeprecatedCall(environment: string, operation: string, keyId: string): void
  /** A read, or a write from the queue to the disk. */
  observeDatabase(kind: 'read' | 'write', seconds: number): void
  countWebhookAttempt(environment: string, result: 'delivered' | 'to_retry' | 'given_up'): void
  countDeploy(result: 'live' | 'failed'): void
  /** By the authority's name; what was issued for the first time, renewed, or not issued. */
  countCertificate(authority: string, result: 'issued' | 'renewed' | 'failed'): void
  /** What `read` gives when somebody asks: deliveries that are open, and how old the oldest event is. */
  watchWebhookQueue(environment: string, read: ReadQueue): void
}

type ReadQueue = () => Promise<{ length: number; oldestSeconds: number }>

export interface RequestCounts {
  /** Answers with a status from 500 on. */
  errors: number
  /** Answers by the time they took: one for each of `latencyBounds`, and one for what took longer. */
  byLatency: number[]
}

export interface RequestLabels {
  environment: string
  operation: string
  status: number
}

/** In seconds. */
export const latencyBounds = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const attempts = tallies(
    registry,
    'animal_store_webhook_attempts_total',
    'Attempts to deliver an event to a webhook, by result.',
  )
  const deploys = tallies(
    registry,
    'animal_store_deploys_total',
    'Deploys that were built, by what became of them.',
  )
  const certificates = tallies(
    registry,
    'animal_store_certificates_total',
    'Attempts to get a certificate, by authority and by what became of them.',
  )
  const queues = new Map<string, ReadQueue>()
  watchQueues(registry, queues)
  const requests = tallies(
    registry,
    'animal_store_requests_total',
    'Answered requests by operation and status.',
  )
  const latencies = distributions(
    registry,
    'animal_store_request_seconds',
    'Time from the parsed head to the end of the answer.',
    latencyBounds,
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
      remember((keyId: string) => deprecated({ environment, operation, key_id: keyId })),
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
    observeRequest({ environment, operation, status }, seconds) {
      const { byStatus, latency } = answered(environment)(operation)
      byStatus(status).add()
      latency.observe(seconds)
    },
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
    countCache: (cache, result) => caches(cache)(result).add(),
    countDeprecatedCall: (environment, operation, keyId) =>
      calls(environment)(operation)(keyId).add(),
    observeDatabase: (kind, seconds) => times[kind].observe(seconds),
    countWebhookAttempt: (environment, result) => sent(environment)(result).add(),
    countDeploy: (result) => built(result).add(),
    countCertificate: (authority, result) => issued(authority)(result).add(),
    watchWebhookQueue: (environment, read) => void queues.set(environment, read),
  }
}

/** All processes see the same queue: when their numbers are put together, the greatest counts. */
function watchQueues(registry: Registry, queues: Map<string, ReadQueue>): void {
  let reading: Promise<void> | undefined
  const refresh = (): Promise<void> => {
    reading ??= readAll().finally(() => {
      reading = undefined
    })
    return reading
  }
  const shared = {
    labelNames: ['environment'],
    registers: [registry],
    aggregator: 'max' as const,
    collect: refresh,
  }
  const length = new Gauge({
    ...shared,
    name: 'animal_store_webhook_queue_length',
    help: 'Deliveries that are open, counted up to 100,000.',
  })
  const oldest = new Gauge({
    ...shared,
    name: 'animal_store_webhook_oldest_seconds',
    help: 'Age of the oldest event that a webhook has not had yet.',
  })

  async function readAll(): Promise<void> {
    for (const [environment, read] of queues) {
      // Without its database the process still has numbers to show.
      const queue = await read().catch(() => undefined)
      length.set({ environment }, queue?.length ?? Number.NaN)
      oldest.set({ environment }, queue?.oldestSeconds ?? Number.NaN)
    }
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
