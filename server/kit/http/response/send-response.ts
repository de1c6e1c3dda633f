// Sends responses that are made for one request: a created record, an error, no content; or piece by piece, to a client that
// may stop reading. Cross-origin requests (Fetch standard, "CORS protocol") are by an allow-list of origins, never with
// cookies.

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { AppError, errorBody } from '../../errors.ts'
import { within } from '../../promises.ts'
import type { ApiRequest } from '../request/request-head.ts'

/** Sends a body that must not be stored. `headers` are names and values in turn. */
export function sendOnce(
  request: ApiRequest,
  response: ServerResponse,
  status: number,
  headers: string[],
  body: string | undefined,
  type = 'application/json',
): void {
  const length = body === undefined ? 0 : Buffer.byteLength(body)
  const content = body === undefined ? [] : ['Content-Type', type, 'Content-Length', `${length}`]
  sendHead(request, response, status, [...content, ...headers])
  if (request.method === 'HEAD') response.end()
  // The same bytes, in less time.
  else response.end(body, length === body?.length ? 'latin1' : 'utf8')
}

/** Begins a response. `headers` are names and values in turn. */
export function sendHead(
  request: ApiRequest,
  response: ServerResponse,
  status: number,
  headers: string[],
): void {
  response.writeHead(status, [
    ...headers,
    'X-Content-Type-Options',
    'nosniff',
    ...request.extraHeaders,
    'X-Request-Id',
    request.head.requestId,
  ])
}

/** Sends the Error body of the specification. */
export function sendError(request: ApiRequest, response: ServerResponse, error: AppError): void {
  if (response.headersSent) {
    // Too late for another response: the client must see that this one is not whole.
    response.destroy()
    return
  }
  const headers = [
    'Cache-Control',
    'no-store',
    'Vary',
    'Origin',
    ...Object.entries(error.headers).flat(),
  ]
  sendOnce(request, response, error.status, headers, errorBody(error))
}

/** Whether it is a GET or a HEAD. Answers everything else. */
export function isRead(request: ApiRequest, response: ServerResponse): boolean {
  const { method } = request
  if (method === 'GET' || method === 'HEAD') return true
  const headers = { Allow: 'GET, HEAD, OPTIONS' }
  if (method === 'OPTIONS') sendOnce(request, response, 204, ['Allow', headers.Allow], undefined)
  else {
    const message = `${method} is not possible here; ${headers.Allow} are.`
    sendError(request, response, new AppError('method_not_allowed', message, { headers }))
  }
  return false
}

const allowHeaders =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id'
const exposeHeaders =
  'Deprecation, ETag, Idempotent-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, ' +
  'Retry-After, Sunset, X-Request-Id, X-Total-Count'

/** Headers, names and values in turn, for a response to a page of `origin`. */
export function corsHeaders(origin: string | undefined, allowed: ReadonlySet<string>): string[] {
  if (origin === undefined || !allowed.has(origin)) return []
  return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', exposeHeaders]
}

/** Headers for a preflight from an allowed origin. */
export function preflightHeaders(methods: string): string[] {
  return [
    'Access-Control-Allow-Methods',
    methods,
    'Access-Control-Allow-Headers',
    allowHeaders,
    'Access-Control-Max-Age',
    '7200',
  ]
}

/** Resolves when there is room for more; rejects when the reader takes nothing within the time. */
export async function writeInTime(
  response: ServerResponse,
  part: string | Uint8Array,
  withinMs: number,
): Promise<void> {
  if (response.write(part) || response.destroyed) return
  const done = new AbortController()
  const room = ['drain', 'close'].map((event) => once(response, event, { signal: done.signal }))
  await within(withinMs, Promise.race(room), () => {
    throw new Error('the reader of a stream takes nothing')
  }).finally(() => done.abort())
}
