// Runs several worker processes that share the ports. The primary process starts, monitors and stops the workers and
// aggregates their metrics; it serves no requests. It replaces workers that die. If one cannot start at first, all stop.
import cluster, { type Worker } from 'node:cluster'
import type { Logger } from './log.ts'
import { within } from './promises.ts'

type FromWorker =
  | { type: 'ready'; ports: Ports }
  | { type: 'failed'; message: string; status: number }
  | { type: 'askMetrics'; ticket: number }
  | { type: 'metrics'; ticket: number; values: unknown }
type ToWorker =
  | { type: 'stop' }
  | { type: 'collect'; ticket: number }
  | { type: 'allMetrics'; ticket: number; text: string }

/** The ports that all workers share. */
export interface Ports {
  http: number
  /** Undefined if HTTPS is off. */
  https: number | undefined
}

/** A worker could not start; `status` is the exit status to use. */
class StartError extends Error {
  override readonly name = 'StartError'
  readonly status: number
  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** Less than half of the ten seconds that Prometheus waits for. */
const metricsWithinMs = 4000
const stopWithinMs = 9_500
const restartAfterMs = 1000

/** Starts `count` workers, which go on serving for `drainMs` when they stop; resolves when all are serving. */
export async function startWorkers(count: number, drainMs: number, log: Logger) {
  let stopping = false
  const collections = new Map<number, (worker: Worker, values: unknown) => void>()
  /** What each worker reported last: counters must not fall because one is late. */
  const lastMetrics = new WeakMap<Worker, unknown>()
  let tickets = 0

  async function collect(): Promise<string> {
    const workers = living()
    const late = new Set(workers)
    const ticket = ++tickets
    const { promise, resolve } = Promise.withResolvers<void>()
    collections.set(ticket, (worker, values) => {
      lastMetrics.set(worker, values)
      late.delete(worker)
      if (late.size === 0) resolve()
    })
    for (const worker of workers) tell(worker, { type: 'collect', ticket })
    await within(metricsWithinMs, promise, () => {})
    collections.delete(ticket)
    const values = workers.map((worker) => lastMetrics.get(worker)).filter(Boolean)
    const { AggregatorRegistry } = await import('prom-client')
    return await AggregatorRegistry.aggregate(values as object[][]).metrics()
  }

  function launch(): Promise<Ports> {
    const worker = cluster.fork()
    return new Promise((resolve, reject) => {
      let isReady = false
      worker.on('message', (message: FromWorker) => {
        if (message.type === 'ready') {
          isReady = true
          resolve(message.ports)
        } else if (message.type === 'failed')
          reject(new StartError(message.message, message.status))
        else if (message.type === 'metrics')
          collections.get(message.ticket)?.(worker, message.values)
        else {
          const { ticket } = message
          collect().then(
            (text) => tell(worker, { type: 'allMetrics', ticket, text }),
            () => {},
          )
        }
      })
      worker.on('exit', (status, signal) => {
        if (stopping) return
        if (!isReady)
          return reject(new StartError(`A worker exited during startup (${signal ?? status}).`, 1))
        log.error({ event: 'worker.died', status, signal }, 'worker died; starting a replacement')
        replaceLater()
      })
    })
  }

  /** Retries until it succeeds, because the cause may be temporary. */
  function replaceLater(): void {
    setTimeout(() => {
      if (stopping) return
      launch().catch((error) => {
        log.error(
          { event: 'worker.not_started', err: error },
          'could not start a replacement worker; retrying',
        )
        replaceLater()
      })
    }, restartAfterMs)
  }

  /** Resolves when all workers have exited. */
  async function stop(): Promise<void> {
    stopping = true
    const gone = living().map(
      (worker) =>
        new Promise<void>((resolve) => {
          worker.once('exit', () => resolve())
          tell(worker, { type: 'stop' })
        }),
    )
    const timer = setTimeout(() => {
      for (const worker of living()) worker.process.kill('SIGKILL')
    }, drainMs + stopWithinMs)
    await Promise.all(gone)
    clearTimeout(timer)
  }

  try {
    const [ports] = await Promise.all(Array.from({ length: count }, launch))
    return { ports: ports as Ports, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Runs in a worker: reports the start, and stops on request. Node ends it when the primary process exits. */
export async function beWorker(
  start: (
    allMetrics: () => Promise<string>,
  ) => Promise<{ ports: Ports; metrics: () => Promise<unknown>; stop: () => Promise<void> }>,
  describe: (error: unknown) => { message: string; status: number },
): Promise<void> {
  // A terminal sends signals to all processes; the primary process coordinates the shutdown.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
  let stop: (() => Promise<void>) | undefined
  let ending = false
  const end = (): void => {
    if (ending) return
    ending = true
    // During startup there are no requests to complete.
    if (stop) void stop().finally(() => process.exit(0))
    else process.exit(0)
  }
  const waiting = new Map<number, (text: string) => void>()
  let tickets = 0
  const send = (message: FromWorker): void => {
    if (process.connected) process.send?.(message, () => {})
  }
  const allMetrics = async (): Promise<string> => {
    const ticket = ++tickets
    const { promise, resolve } = Promise.withResolvers<string>()
    waiting.set(ticket, resolve)
    send({ type: 'askMetrics', ticket })
    return await within(2 * metricsWithinMs, promise, () => {
      throw new Error('the primary process did not return the metrics in time')
    }).finally(() => waiting.delete(ticket))
  }

  let metrics = async (): Promise<unknown> => []
  process.on('message', (message: ToWorker) => {
    if (message.type === 'stop') end()
    else if (message.type === 'allMetrics') waiting.get(message.ticket)?.(message.text)
    else
      metrics().then(
        (values) => send({ type: 'metrics', ticket: message.ticket, values }),
        () => {},
      )
  })

  try {
    const running = await start(allMetrics)
    stop = running.stop
    metrics = running.metrics
    send({ type: 'ready', ports: running.ports })
  } catch (error) {
    process.send?.({ type: 'failed', ...describe(error) }, () => process.exit(1))
  }
}

function living(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
}

function tell(worker: Worker, message: ToWorker): void {
  // The worker may exit before the message is sent; its exit event reports that.
  if (worker.isConnected()) worker.send(message, () => {})
}
