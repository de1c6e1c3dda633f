// OpenTelemetry's settings, by the names of its specification. Off without OTEL_EXPORTER_OTLP_ENDPOINT.
import type { Sampler } from '../tracer.ts'
import type { Values } from './variables.ts'

export interface TelemetrySettings {
  /** Paths such as /v1/traces are added to it. */
  endpoint: URL
  /** Of each request: they may have a credential. */
  headers: Record<string, string>
  sendsTraces: boolean
  sendsMetrics: boolean
  metricsEveryMs: number
  sampler: Sampler
  resource: Record<string, string>
}

export function readTelemetrySettings(v: Values): TelemetrySettings | undefined {
  const endpoint = v.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!endpoint) return undefined
  const sampler = v.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on'
  const ratios = { on: 1, off: 0, traceidratio: v.OTEL_TRACES_SAMPLER_ARG ?? 1 }
  const rule = sampler.split('_').at(-1) as keyof typeof ratios
  return {
    endpoint,
    headers: v.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    sendsTraces: v.OTEL_TRACES_EXPORTER !== 'none',
    sendsMetrics: v.OTEL_METRICS_EXPORTER !== 'none',
    metricsEveryMs: v.OTEL_METRIC_EXPORT_INTERVAL ?? 60_000,
    sampler: { ratio: ratios[rule], ignoresParent: !sampler.startsWith('parentbased_') },
    resource: {
      ...v.OTEL_RESOURCE_ATTRIBUTES,
      'service.name':
        v.OTEL_SERVICE_NAME ?? v.OTEL_RESOURCE_ATTRIBUTES?.['service.name'] ?? 'animal-store',
    },
  }
}
