// Sends responses that are made for one request: a created record, an error, no content.
import type { ServerResponse } from 'node:http'
import { AppError, errorBody } from '../../errors.ts'
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
  response.writeHead(status, [
    ...content,
    'X-Content-Type-Options',
    'nosniff',
    ...headers,
    ...request.extraHeaders,
    'X-Request-Id',
    request.head.requestId,
  ])
  if (request.method === 'HEAD') response.end()
  // The same bytes, in less time.
  else response.end(body, length === body?.length ? 'latin1' : 'utf8')
}

/** Sends the Error body of the specification. */
export function sendError(request: ApiRequest, response: ServerResponse, error: AppError): void {
  if (response.headersSent) {
    // Too late for another answer: the client must see that this one is not whole.
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
