// Spans and metrics as OTLP/HTTP takes them in JSON (OpenTelemetry Protocol 1.x): ids in hexadecimal, 64-bit integers as
// decimal strings.
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import { type Attributes, type EndedSpan, spanKinds } from '../tracer.ts'

/** What is measured, and where: names of the OpenTelemetry semantic conventions. */
export type Resource = Attributes

const scopeName = 'animal-store'
const statusError = 2
/** Sums and histograms count from the start of the process on. */
const cumulative = 2

export function tracesRequest(spans: readonly EndedSpan[], resource: Resource, version: string) {
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: scopeName, version }, spans: spans.map(spanOf) }],
      },
    ],
  }
}

function spanOf(span: EndedSpan) {
  const { attributes, endedAt, failure, kind, name, parentSpanId, spanId, startedAt, traceId } =
    span
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: spanKinds[kind],
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(endedAt),
    attributes: keyValues(attributes),
    status: failure === undefined ? {} : { code: statusError, message: failure },
  }
}

type PromMetric = MetricObjectWithValues<MetricValue<string>>

export interface MetricsTimes {
  /** Both in milliseconds since the epoch. */
  startedAt: number
  now: number
}

/** Prometheus metrics as OTLP's: counters as sums, gauges, histograms; summaries are left out. */
export function metricsRequest(
  metrics: readonly PromMetric[],
  resource: Resource,
  version: string,
  times: MetricsTimes,
) {
  return {
    resourceMetrics: [
      {
        resource: { attributes: keyValues(resource) },
        scopeMetrics: [
          {
            scope: { name: scopeName, version },
            metrics: metrics.flatMap((metric) => metricOf(metric, times)),
          },
        ],
      },
    ],
  }
}

function metricOf(metric: PromMetric, { now, startedAt }: MetricsTimes): object[] {
  const { help: description, name } = metric
  const unit = /_seconds(?:_total)?$/.test(name)
    ? 's'
    : /_bytes(?:_total)?$/.test(name)
      ? 'By'
      : '1'
  const head = { name, description, unit }
  const time = { startTimeUnixNano: nanoseconds(startedAt), timeUnixNano: nanoseconds(now) }
  // The type is an enum in prom-client's declarations, and text in its values.
  const type = String(metric.type)
  if (type === 'histogram') {
    const dataPoints = histogramPoints(metric, time)
    return [{ ...head, histogram: { aggregationTemporality: cumulative, dataPoints } }]
  }
  if (type !== 'counter' && type !== 'gauge') return []
  const dataPoints = metric.values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ attributes: keyValues(labels), ...time, asDouble: value }))
  if (type === 'gauge') return [{ ...head, gauge: { dataPoints } }]
  return [{ ...head, sum: { aggregationTemporality: cumulative, isMonotonic: true, dataPoints } }]
}

/** Prometheus counts each value in all buckets that contain it, OTLP in one. */
function histogramPoints({ name, values }: PromMetric, time: object) {
  const points = new Map<
    string,
    { attributes: object[]; below: [number, number][]; sum: number; count: number }
  >()
  for (const { labels, metricName = name, value } of values as HistogramValue[]) {
    const { le, ...others } = labels
    const key = JSON.stringify(others)
    const point = points.get(key) ?? { attributes: keyValues(others), below: [], sum: 0, count: 0 }
    points.set(key, point)
    if (metricName.endsWith('_sum')) point.sum = value
    else if (metricName.endsWith('_count')) point.count = value
    else if (le !== '+Inf' && le !== undefined) point.below.push([Number(le), value])
  }
  return [...points.values()].map(({ attributes, below, count, sum }) => {
    const sorted = below.toSorted(([a], [b]) => a - b)
    const cumulated = [...sorted.map(([, value]) => value), count]
    return {
      attributes,
      ...time,
      count: String(count),
      sum,
      explicitBounds: sorted.map(([bound]) => bound),
      bucketCounts: cumulated.map((value, i) => String(value - (cumulated[i - 1] ?? 0))),
    }
  })
}

type HistogramValue = MetricValue<string> & { metricName?: string }

function keyValues(attributes: Record<string, unknown>) {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, value: anyValue(value) }))
}

function anyValue(value: unknown) {
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value !== 'number') return { stringValue: String(value) }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Exact to the microsecond, which is what a double holds. */
function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1000)}000`
}
