// Requests that depend on a response: the next page, the same record with If-None-Match, a repetition with the same
// Idempotency-Key, another request with it, a record that was just deleted.
import type { Lane } from './choices.ts'
import { type FuzzRequest, findSentHeader } from './request.ts'
import type { FuzzResponse } from './send.ts'

export function followUps(request: FuzzRequest, response: FuzzResponse, lane: Lane): FuzzRequest[] {
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
  return [
    ...(hasUsedKey(request) ? repeatUnderSameKey(request, response) : []),
    ...(status === 204 ? afterDeletion(request, lane) : []),
  ]
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

/** The record cannot be read or deleted again. */
function afterDeletion({ environment, target, expected }: FuzzRequest, lane: Lane): FuzzRequest[] {
  const isPet = expected.operation === 'deletePet'
  const headers = ['Authorization', `Bearer ${lane.keys[environment]}`]
  const codes = [isPet ? 'pet_not_found' : 'category_not_found']
  const gone = { environment, target, headers, isChunked: false }
  const get = { operation: isPet ? 'getPet' : 'getCategory', status: 404, codes }
  const remove = { operation: expected.operation, status: 404, codes }
  return [
    { ...gone, method: 'GET', expected: get },
    { ...gone, method: 'DELETE', expected: remove },
  ]
}
