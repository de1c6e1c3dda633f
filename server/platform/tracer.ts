// Spans of this process: what runs inside of another span becomes its child. Without an exporter there is no tracer,
// and no code of it runs: main.ts wraps routes and databases only where there is one.
import { AsyncLocalStorage } from 'node:async_hooks'
import { newSpanId, newTraceId, type TraceContext } from './trace-context.ts'

/** Which new traces are recorded. A trace that began elsewhere is followed, unless `ignoresParent`. */
export interface Sampler {
  /** From 0 to 1. */
  ratio: number
  ignoresParent: boolean
}

/** Numbers are integers or fractions as JavaScript has them. */
export type Attributes = Record<string, string | number | boolean | undefined>

export const spanKinds = { internal: 1, server: 2, client: 3 } as const

export interface SpanOptions {
  name: string
  kind: keyof typeof spanKinds
  attributes?: Attributes
  /** Of another process. Default: the span in which this one starts. */
  parent?: TraceContext | undefined
}

/** An ended span. Times are milliseconds since the epoch, with fractions. */
export interface EndedSpan {
  name: string
  kind: keyof typeof spanKinds
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  startedAt: number
  endedAt: number
  attributes: Attributes
  /** Why it failed; undefined if it did not. */
  failure: string | undefined
}

/** A span that has begun. */
export interface OpenSpan {
  /** Runs `body` inside of the span. */
  within<T>(body: () => T): T
  /** Only the first call counts. */
  end(more?: { name?: string; attributes?: Attributes; failure?: string | undefined }): void
}

export type Tracer = ReturnType<typeof createTracer>

export function createTracer(sampler: Sampler, onEnd: (span: EndedSpan) => void) {
  const storage = new AsyncLocalStorage<TraceContext>()

  function begin({
    attributes = {},
    kind,
    name,
    parent = storage.getStore(),
  }: SpanOptions): OpenSpan {
    const traceId = parent?.traceId ?? newTraceId()
    const isLocal = parent !== undefined && parent === storage.getStore()
    const follows = parent !== undefined && (isLocal || !sampler.ignoresParent)
    const isSampled = follows ? parent.isSampled : isChosen(traceId, sampler.ratio)
    const context: TraceContext = { traceId, spanId: newSpanId(), isSampled }
    const startedAt = now()
    let isOver = false
    return {
      within: (body) => storage.run(context, body),
      end(more = {}) {
        if (isOver || !isSampled) return
        isOver = true
        onEnd({
          name: more.name ?? name,
          kind,
          traceId,
          spanId: context.spanId,
          parentSpanId: parent?.spanId,
          startedAt,
          endedAt: now(),
          attributes: { ...attributes, ...more.attributes },
          failure: more.failure,
        })
      },
    }
  }

  return {
    begin,
    /** Whether this code runs inside of a span. */
    isWithin: () => storage.getStore() !== undefined,
    /** A span around `run`, which fails with it. */
    async run<T>(options: SpanOptions, run: () => Promise<T>): Promise<T> {
      const span = begin(options)
      try {
        const result = await span.within(run)
        span.end()
        return result
      } catch (error) {
        // A message may have what is not for the collector.
        const { code, name } = error as { code?: unknown; name?: unknown }
        span.end({ failure: String(code ?? name) })
        throw error
      }
    },
  }
}

/** Runs it in a span, where there is a tracer. */
export function traced<T>(
  tracer: Tracer | undefined,
  options: SpanOptions,
  run: () => Promise<T>,
): Promise<T> {
  return tracer ? tracer.run(options, run) : run()
}

function now(): number {
  return performance.timeOrigin + performance.now()
}

/** The same for all processes of a trace: by its id, whose last 14 digits are random (Trace Context, level 2). */
function isChosen(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52
}
