// Sends spans and metrics to a collector by OTLP/HTTP. The queue of spans is bounded: while the collector is away, new
// spans are dropped and counted, and requests never wait for it.
import type { Registry } from 'prom-client'
import type { Clock } from '../clock.ts'
import type { TelemetrySettings } from '../config/telemetry-settings.ts'
import { startPollLoop } from '../jobs/poll-loop.ts'
import type { Logger } from '../log.ts'
import { RequestError, sendRequest } from '../network/http-client.ts'
import type { EndedSpan } from '../tracer.ts'
import { metricsRequest, type Resource, tracesRequest } from './otlp-json.ts'

/** As OpenTelemetry's batch processor by default. */
const maxQueue = 2048
const maxBatch = 512
const sendEveryMs = 5000
const answerWithinMs = 10_000
const maxAnswerBytes = 64 * 1024
/** Of the OTLP specification: these responses are retried, others are not. */
const retriedStatuses = [429, 502, 503, 504]

export interface ExporterParts {
  settings: TelemetrySettings
  resource: Resource
  version: string
  clock: Clock
  log: Logger
}

export function startSpanExporter({ log, resource, settings, version }: ExporterParts) {
  const queue: EndedSpan[] = []
  let dropped = 0

  async function sendBatch(signal: AbortSignal): Promise<void> {
    while (queue.length > 0 && !signal.aborted) {
      const batch = queue.slice(0, maxBatch)
      const answer = await post(
        settings,
        '/v1/traces',
        tracesRequest(batch, resource, version),
        signal,
      )
      // In between only `add` has changed it, at its end.
      queue.splice(0, batch.length)
      dropped += answer.isRefused ? batch.length : readRejected(answer.body)
      if (answer.isRefused) logRefusal(log, 'traces', answer.status)
    }
  }

  const loop = startPollLoop({
    name: 'exporting spans',
    log,
    intervalMs: sendEveryMs,
    startsNow: false,
    poll: sendBatch,
  })
  return {
    add(span: EndedSpan): void {
      if (queue.length >= maxQueue) {
        dropped += 1
        return
      }
      queue.push(span)
      if (queue.length === maxBatch) loop.wake()
    },
    /** Sends what waits; resolves when the attempt has ended. */
    flush: loop.runNow,
    stop: loop.stop,
    /** Not sent because the queue was full, or refused by the collector. */
    countDropped: () => dropped,
  }
}

/** Sends all metrics of `registry` at an interval. */
export function startMetricsExporter(
  registry: Registry,
  { clock, log, resource, settings, version }: ExporterParts,
) {
  const startedAt = clock()
  return startPollLoop({
    name: 'exporting metrics',
    log,
    intervalMs: settings.metricsEveryMs,
    startsNow: false,
    async poll(signal) {
      const metrics = await registry.getMetricsAsJSON()
      const body = metricsRequest(metrics, resource, version, { startedAt, now: clock() })
      const { isRefused, status } = await post(settings, '/v1/metrics', body, signal)
      if (isRefused) logRefusal(log, 'metrics', status)
    },
  })
}

/** Throws where it is to be retried. */
async function post(
  { endpoint, headers }: TelemetrySettings,
  path: string,
  content: object,
  signal: AbortSignal,
) {
  const url = new URL(endpoint)
  url.pathname = url.pathname.replace(/\/$/, '') + path
  const { body, status } = await sendRequest(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(content),
    timeoutMs: answerWithinMs,
    maxBytes: maxAnswerBytes,
    oversize: 'truncate',
    signal,
  })
  if (retriedStatuses.includes(status))
    throw new RequestError('unreachable', `the collector answered ${status}`)
  return { body: body.toString(), isRefused: status < 200 || status >= 300, status }
}

function logRefusal(log: Logger, signal: string, status: number): void {
  const message = 'the collector refuses telemetry: check OTEL_EXPORTER_OTLP_ENDPOINT and _HEADERS'
  log.warn({ event: 'telemetry.refused', signal, status }, message)
}

/** The spans of a partial success that the collector did not take. */
function readRejected(body: string): number {
  try {
    const { partialSuccess } = JSON.parse(body) as { partialSuccess?: { rejectedSpans?: unknown } }
    const count = Number(partialSuccess?.rejectedSpans ?? 0)
    return Number.isSafeInteger(count) && count > 0 ? count : 0
  } catch {
    return 0
  }
}
