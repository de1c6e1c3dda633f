// W3C Trace Context: the header traceparent (version 00), as requests carry it.
import { randomBytes } from 'node:crypto'

export interface TraceContext {
  /** 32 lower-case hexadecimal digits. */
  traceId: string
  /** 16 lower-case hexadecimal digits. */
  spanId: string
  isSampled: boolean
}

const form = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

/** Undefined for none and for an invalid one, which starts a new trace (section 4.3). */
export function readTraceparent(header: string | undefined): TraceContext | undefined {
  const match = header === undefined ? null : form.exec(header)
  if (!match) return undefined
  const [, traceId = '', spanId = '', flags = '', more] = match
  // Only later versions have more fields.
  if (more !== undefined && header?.startsWith('00')) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex')
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex')
}
