// OpenTelemetry in one process: undefined where it is off, so that nothing of it runs.
import { hostname } from 'node:os'
import type { Registry } from 'prom-client'
import type { Clock } from '../clock.ts'
import { readProgramVersion } from '../config/program-version.ts'
import type { TelemetrySettings } from '../config/telemetry-settings.ts'
import type { PollLoop } from '../jobs/poll-loop.ts'
import type { Logger } from '../log.ts'
import { counter } from '../tally.ts'
import { createTracer } from '../tracer.ts'
import { startMetricsExporter, startSpanExporter } from './exporter.ts'

/** A process that stops waits for the collector no longer than this. */
const lastFlushWithinMs = 1000

export function startTelemetry(
  settings: TelemetrySettings | undefined,
  { clock, log }: { clock: Clock; log: Logger },
) {
  if (!settings) return undefined
  const version = readProgramVersion()
  const resource = {
    ...settings.resource,
    'service.version': version,
    'service.instance.id': `${hostname()}-${process.pid}`,
    'host.name': hostname(),
    'process.pid': process.pid,
  }
  const parts = { settings, resource, version, clock, log }
  const spans = settings.sendsTraces ? startSpanExporter(parts) : undefined
  let metrics: PollLoop | undefined
  return {
    /** Undefined if no traces are sent. */
    tracer: spans && createTracer(settings.sampler, spans.add),
    /** Exports the metrics of this process, with those of telemetry itself. */
    watch(registry: Registry): void {
      if (spans) {
        const help =
          'Spans that were not exported: the queue was full, or the collector refused them.'
        counter(registry, 'animal_store_dropped_spans_total', help, spans.countDropped)
      }
      if (settings.sendsMetrics) metrics = startMetricsExporter(registry, parts)
    },
    /** Sends what waits now. */
    async flush() {
      await Promise.all([spans?.flush(), metrics?.runNow()])
    },
    /** Sends what waits, if the collector takes it in time. */
    async stop() {
      const timeUp = AbortSignal.timeout(lastFlushWithinMs)
      const late = new Promise<void>((resolve) =>
        timeUp.addEventListener('abort', () => resolve(), { once: true }),
      )
      await Promise.race([Promise.all([spans?.flush(), metrics?.runNow()]), late])
      await Promise.all([spans?.stop(), metrics?.stop()])
    },
  }
}
