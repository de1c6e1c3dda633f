// The environment variables of OpenTelemetry, by the names and meanings of its specification.
import { httpUrl, parsePairs, wholeNumber } from './parse-variable.ts'
import { variable } from './variable.ts'

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export const telemetryVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: variable({
    meaning: 'OpenTelemetry collector that gets traces and metrics by OTLP/HTTP in JSON.',
    accepts: 'an http or https address such as http://127.0.0.1:4318',
    default: 'none: no telemetry',
    parse: httpUrl,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: variable({
    meaning: 'Header fields for the collector, such as a credential.',
    accepts: 'name=value pairs separated by commas, with percent-encoded values',
    default: 'none',
    parse: (text) => parsePairs(text, /^[!#$%&'*+.^_`|~\w-]+$/),
  }),
  OTEL_TRACES_EXPORTER: variable({
    meaning: 'Whether traces are sent.',
    accepts: 'otlp or none',
    default: 'otlp',
    parse: (text) => (text === 'otlp' || text === 'none' ? text : undefined),
  }),
  OTEL_METRICS_EXPORTER: variable({
    meaning: 'Whether metrics are sent.',
    accepts: 'otlp or none',
    default: 'otlp',
    parse: (text) => (text === 'otlp' || text === 'none' ? text : undefined),
  }),
  OTEL_METRIC_EXPORT_INTERVAL: variable({
    meaning: 'Time between two exports of the metrics.',
    accepts: 'milliseconds from 1000 to 3600000',
    default: '60000',
    parse: (text) => wholeNumber(text, 1000, 3_600_000),
  }),
  OTEL_TRACES_SAMPLER: variable({
    meaning: 'Which requests are traced. `parentbased_` follows the traceparent of the request.',
    accepts: samplers.join(', '),
    default: 'parentbased_always_on',
    parse: (text) => samplers.find((name) => name === text),
  }),
  OTEL_TRACES_SAMPLER_ARG: variable({
    meaning: 'Share of the requests that a sampler with traceidratio traces.',
    accepts: 'a number from 0 to 1',
    default: '1',
    parse: (text) => (/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/.test(text) ? Number(text) : undefined),
  }),
  OTEL_SERVICE_NAME: variable({
    meaning: 'Name of this installation in telemetry.',
    accepts: 'up to 100 characters',
    default: 'animal-store',
    parse: (text) => (/^\P{Cc}{1,100}$/u.test(text) ? text : undefined),
  }),
  OTEL_RESOURCE_ATTRIBUTES: variable({
    meaning: 'Further attributes of this installation, such as deployment.environment.name=eu.',
    accepts: 'name=value pairs separated by commas, with percent-encoded values',
    default: 'none',
    parse: (text) => parsePairs(text, /^[\w.-]{1,100}$/),
  }),
}
