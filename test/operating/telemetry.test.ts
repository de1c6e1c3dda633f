// OpenTelemetry: a collector gets traces and metrics of the program as the protocol has them, and never more than that.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../server/platform/config/config.ts'
import { createLog } from '../../server/platform/log.ts'
import { startSpanExporter } from '../../server/platform/telemetry/exporter.ts'
import type { EndedSpan } from '../../server/platform/tracer.ts'
import { cases } from '../cases.ts'
import { anyEngine, engines } from '../database.ts'
import { eventually } from '../eventually.ts'
import { startStore } from '../running-store.ts'
import { startManaged } from '../store-management/store-in-test.ts'
import { findProtocolProblems } from './otlp-messages.ts'

interface KeyValue {
  key: string
  value: Record<string, unknown>
}
interface Span {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: KeyValue[]
  status: { code?: number }
}
interface Metric {
  name: string
  sum?: { dataPoints: { attributes: KeyValue[]; asDouble: number }[] }
  histogram?: { dataPoints: { attributes: KeyValue[]; bucketCounts: string[]; count: string }[] }
}

const attributesOf = (list: KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]))

/** A collector that checks each request against the protocol. */
async function startCollector() {
  const collector = {
    url: '',
    status: 200,
    spans: [] as Span[],
    metrics: [] as Metric[],
    problems: [] as string[],
    headers: [] as unknown[],
    /** All bodies, to search them for what must not be there. */
    text: '',
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const { status } = collector
    if (status === 200) {
      collector.text += body
      collector.headers.push(request.headers['x-collector-key'], request.headers['content-type'])
      const sent = JSON.parse(body)
      if (request.url === '/otlp/v1/traces') {
        collector.problems.push(...findProtocolProblems('ExportTraceServiceRequest', sent))
        collector.spans.push(...sent.resourceSpans[0].scopeSpans[0].spans)
      } else if (request.url === '/otlp/v1/metrics') {
        collector.problems.push(...findProtocolProblems('ExportMetricsServiceRequest', sent))
        collector.metrics = sent.resourceMetrics[0].scopeMetrics[0].metrics
      } else collector.problems.push(`nothing is at ${request.url}`)
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/otlp`
  return collector
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentSpanId = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${parentSpanId}-01`

describe.each(cases(engines))('with a collector, on %s', (engine) => {
  it('a write is a trace that goes on from its client, and all requests are counted', async () => {
    const collector = await startCollector()
    const store = await startStore(engine, {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: 'X-Collector-Key=a%20secret',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      },
    })
    onTestFinished(() => store.release())
    const body = { name: 'Zebra4711', categoryId: 1 }
    expect((await store.ask('/pets', { body, headers: { traceparent } })).status).toBe(201)
    expect((await store.ask('/pets?status=sold&limit=7')).status).toBe(200)
    expect((await store.ask('/pets', { headers: { traceparent: 'nonsense' } })).status).toBe(200)
    // A span ends when its response is closed, which may be after the client has it.
    await eventually(
      async () => {
        await store.running.telemetry?.flush()
        return collector.spans.filter(({ kind }) => kind === 2).length
      },
      (count) => count === 3,
    )
    expect(collector.problems).toEqual([])
    expect(new Set(collector.headers)).toEqual(new Set(['a secret', 'application/json']))

    const created = collector.spans.find(({ name }) => name === 'POST createPet') as Span
    expect(created).toMatchObject({ traceId, parentSpanId, kind: 2, status: {} })
    expect(BigInt(created.endTimeUnixNano)).toBeGreaterThan(BigInt(created.startTimeUnixNano))
    expect(attributesOf(created.attributes)).toMatchObject({
      'http.request.method': 'POST',
      'http.response.status_code': '201',
      'animal_store.environment': 'production',
      'animal_store.operation': 'createPet',
    })
    const [write] = collector.spans.filter((span) => span.parentSpanId === created.spanId)
    expect(write).toMatchObject({ traceId, name: 'write production', kind: 3 })
    const reads = collector.spans.filter(({ name }) => name === 'GET listPets')
    expect(reads.map((span) => span.parentSpanId)).toEqual([undefined, undefined])
    expect(new Set([traceId, ...reads.map((span) => span.traceId)]).size).toBe(3)

    const requests = collector.metrics.find(({ name }) => name === 'animal_store_requests_total')
    const points = requests?.sum?.dataPoints ?? []
    const listed = points.find((one) => attributesOf(one.attributes).operation === 'listPets')
    expect(listed?.asDouble).toBe(2)
    const times = collector.metrics.find(({ name }) => name === 'animal_store_request_seconds')
    for (const { bucketCounts, count } of times?.histogram?.dataPoints ?? []) {
      expect(bucketCounts.reduce((sum, each) => sum + Number(each), 0)).toBe(Number(count))
    }
    expect(times?.histogram?.dataPoints.length).toBeGreaterThan(1)
    // Neither bodies nor queries, keys nor the collector's own credential.
    expect(collector.text).not.toMatch(/Zebra|sold|limit=7|a secret/)
    expect(collector.text).not.toContain(store.keys.production.slice(0, 20))
  })
})

describe.each(anyEngine)('telemetry on %s', (engine) => {
  it('has spans of builds and webhooks, and follows only the client if it is told so', async () => {
    const collector = await startCollector()
    const { operator, release, send, store } = await startManaged(engine, {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_METRICS_EXPORTER: 'none',
        OTEL_TRACES_SAMPLER: 'always_on',
        WEBHOOK_ALLOW: '127.0.0.0/8',
      },
    })
    onTestFinished(release)
    await operator.create('traced')
    await operator.deployFolder('traced', { 'index.html': '<title>x</title>' })
    const refused = collector.url.replace('/otlp', '/hook')
    await send('POST', '/webhooks', { url: refused, label: 'Collector' }, 201)
    await send('POST', '/animals', { name: 'Rex', categoryId: 1 }, 201)
    const spanOf = (wanted: string) =>
      eventually(
        async () => {
          await store.running.telemetry?.flush()
          return collector.spans.find(({ name }) => name === wanted)
        },
        (span) => span !== undefined,
      )
    expect(attributesOf((await spanOf('build deploy'))?.attributes ?? [])).toMatchObject({
      'animal_store.deploy': '1',
    })
    expect((await spanOf('deliver webhook'))?.kind).toBe(3)
    expect(collector.metrics).toEqual([])
  })

  it('traces nothing but what its client traces, with parentbased_always_off', async () => {
    const collector = await startCollector()
    const store = await startStore(engine, {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      },
    })
    onTestFinished(() => store.release())
    await store.ask('/pets')
    await store.ask('/pets', { headers: { traceparent: traceparent.replace(/1$/, '0') } })
    await store.ask('/pets', { headers: { traceparent } })
    await eventually(
      async () => {
        await store.running.telemetry?.flush()
        return collector.spans.length
      },
      (count) => count > 0,
    )
    expect(collector.spans.map((span) => span.traceId)).toEqual([traceId])
  })

  it('is off by default', async () => {
    const store = await startStore(engine)
    onTestFinished(() => store.release())
    expect(store.running.telemetry).toBeUndefined()
    expect(store.running.metrics.tracer).toBeUndefined()
  })
})

it('bounds what waits for a collector that is away, and counts what it drops', async () => {
  const collector = await startCollector()
  collector.status = 503
  const { telemetry: settings } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  if (!settings) throw new Error('no settings')
  const log = createLog('silent', false)
  const resource = { 'service.name': 'test' }
  const exporter = startSpanExporter({ settings, resource, version: '1', clock: Date.now, log })
  onTestFinished(exporter.stop)
  const span: EndedSpan = {
    name: 'x',
    kind: 'internal',
    traceId,
    spanId: parentSpanId,
    parentSpanId: undefined,
    startedAt: 1,
    endedAt: 2,
    attributes: {},
    failure: undefined,
  }
  for (let i = 0; i < 3000; i++) exporter.add(span)
  expect(exporter.countDropped()).toBe(3000 - 2048)
  await exporter.flush()
  expect(collector.spans).toEqual([])
  collector.status = 200
  await exporter.flush()
  expect(collector.spans).toHaveLength(2048)
  // A batch that is rejected permanently is not sent again.
  collector.status = 400
  exporter.add(span)
  await exporter.flush()
  expect(exporter.countDropped()).toBe(3000 - 2048 + 1)
})
