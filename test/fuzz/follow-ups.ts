// Requests that depend on a response: the next page, the same record with If-None-Match, a repetition with the same
// Idempotency-Key, another request with it.
import { type FuzzRequest, findSentHeader } from './request.ts'
import type { FuzzResponse } from './send.ts'

export function followUps(request: FuzzRequest, response: FuzzResponse): FuzzRequest[] {
  const { operation = '', status } = request.expected
  const next = /<[^>]*?\/v1(\/[^>]+)>; rel="next"/.exec(response.headers.get('link')?.join() ?? '')
  if (operation.startsWith('list') && status === 200 && next) {
    const expected = { operation, status: 200, codes: [] }
    return [{ ...request, target: next[1] as string, expected }]
  }
  const etag = response.headers.get('etag')?.[0]
  if (operation.startsWith('get') && status === 200 && etag) {
    const headers = [...request.headers, 'If-None-Match', `"x", W/${etag}`]
    return [{ ...request, headers, expected: { operation, status: 304, codes: [] } }]
  }
  return hasUsedKey(request) ? repeatUnderSameKey(request, response) : []
}

/** A write that reached the rules of the store, with an Idempotency-Key. */
function hasUsedKey(request: FuzzRequest): boolean {
  const hasReached = [200, 201, 204, 404, 409, 412].includes(request.expected.status)
  return hasReached && findSentHeader(request, 'idempotency-key') !== undefined
}

function repeatUnderSameKey(request: FuzzRequest, response: FuzzResponse): FuzzRequest[] {
  const { body, expected, target } = request
  // Error responses are not stored: the request is executed and refused again.
  if (expected.status >= 400) return [request]
  const { operation, status } = expected
  const again = { ...request, expected: { operation, status, codes: [], replayed: response.text } }
  // The same JSON value, with which a request is still the same.
  if (body) return [again, { ...again, body: Buffer.concat([body, Buffer.from(' ')]) }]
  const other = target.replace(/^((?:\/store)?\/\w+\/)[^/?]+/, '$10')
  const reused = { operation, status: 422, codes: ['idempotency_key_reused'] }
  return [again, { ...request, target: other, expected: reused }]
}
