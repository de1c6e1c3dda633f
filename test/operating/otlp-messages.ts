// The messages of the OpenTelemetry protocol that the program sends, by the field names and types of its .proto files
// (opentelemetry/proto/{trace,metrics,common,resource}/v1, release 1.x), in their mapping to JSON for OTLP/HTTP.

type Kind = (value: unknown) => boolean
/** A kind, the name of a message, or a list of either. */
type Field = Kind | string | readonly [Kind | string]

const text: Kind = (value) => typeof value === 'string'
const bool: Kind = (value) => typeof value === 'boolean'
const double: Kind = (value) => typeof value === 'number'
/** 64-bit integers are decimal strings. */
const int64: Kind = (value) => typeof value === 'string' && /^-?\d{1,20}$/.test(value)
const uint32: Kind = (value) => Number.isInteger(value) && Number(value) >= 0
/** Trace and span ids are hexadecimal, not base64. */
const hex =
  (digits: number): Kind =>
  (value) =>
    typeof value === 'string' &&
    new RegExp(`^[\\da-f]{${digits}}$`).test(value) &&
    /[^0]/.test(value)
const oneOf =
  (...values: number[]): Kind =>
  (value) =>
    values.includes(value as number)

const messages: Record<string, Record<string, Field>> = {
  ExportTraceServiceRequest: { resourceSpans: ['ResourceSpans'] },
  ResourceSpans: { resource: 'Resource', scopeSpans: ['ScopeSpans'], schemaUrl: text },
  ScopeSpans: { scope: 'InstrumentationScope', spans: ['Span'], schemaUrl: text },
  Span: {
    traceId: hex(32),
    spanId: hex(16),
    traceState: text,
    parentSpanId: hex(16),
    flags: uint32,
    name: text,
    kind: oneOf(1, 2, 3, 4, 5),
    startTimeUnixNano: int64,
    endTimeUnixNano: int64,
    attributes: ['KeyValue'],
    droppedAttributesCount: uint32,
    status: 'Status',
  },
  Status: { message: text, code: oneOf(0, 1, 2) },
  Resource: { attributes: ['KeyValue'], droppedAttributesCount: uint32 },
  InstrumentationScope: { name: text, version: text, attributes: ['KeyValue'] },
  KeyValue: { key: text, value: 'AnyValue' },
  AnyValue: { stringValue: text, boolValue: bool, intValue: int64, doubleValue: double },
  ExportMetricsServiceRequest: { resourceMetrics: ['ResourceMetrics'] },
  ResourceMetrics: { resource: 'Resource', scopeMetrics: ['ScopeMetrics'], schemaUrl: text },
  ScopeMetrics: { scope: 'InstrumentationScope', metrics: ['Metric'], schemaUrl: text },
  Metric: {
    name: text,
    description: text,
    unit: text,
    gauge: 'Gauge',
    sum: 'Sum',
    histogram: 'Histogram',
  },
  Gauge: { dataPoints: ['NumberDataPoint'] },
  Sum: {
    dataPoints: ['NumberDataPoint'],
    aggregationTemporality: oneOf(1, 2),
    isMonotonic: bool,
  },
  Histogram: { dataPoints: ['HistogramDataPoint'], aggregationTemporality: oneOf(1, 2) },
  NumberDataPoint: {
    attributes: ['KeyValue'],
    startTimeUnixNano: int64,
    timeUnixNano: int64,
    asDouble: double,
    asInt: int64,
  },
  HistogramDataPoint: {
    attributes: ['KeyValue'],
    startTimeUnixNano: int64,
    timeUnixNano: int64,
    count: int64,
    sum: double,
    bucketCounts: [int64],
    explicitBounds: [double],
  },
}

/** A line for each field that the protocol does not have, or that has another type. */
export function findProtocolProblems(name: string, value: unknown, path: string = name): string[] {
  if (typeof value !== 'object' || value === null) return [`${path} is no ${name}`]
  return Object.entries(value).flatMap(([key, given]) => {
    const at = `${path}.${key}`
    const field = messages[name]?.[key]
    if (field === undefined) return [`${at} is not a field of ${name}`]
    if (typeof field !== 'object') return problemsOf(field, given, at)
    if (!Array.isArray(given)) return [`${at} is no list`]
    return given.flatMap((each, i) => problemsOf(field[0], each, `${at}[${i}]`))
  })
}

function problemsOf(field: Kind | string, value: unknown, path: string): string[] {
  if (typeof field === 'string') return findProtocolProblems(field, value, path)
  return field(value) ? [] : [`${path} cannot be ${JSON.stringify(value)}`]
}
