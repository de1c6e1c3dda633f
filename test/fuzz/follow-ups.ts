// Requests that depend on a response: a retry with the same Idempotency-Key, a different request with it, the same
// record with If-None-Match, a record that was just deleted.
import type { Lane } from './choices.ts'
import { type FuzzRequest, findSentHeader } from './request.ts'
import type { FuzzResponse } from './send.ts'

export function followUps(request: FuzzRequest, response: FuzzResponse, lane: Lane): FuzzRequest[] {
  const { operation = '', status } = request.expected
  const etag = response.headers.get('etag')?.[0]
  if (operation.startsWith('get') && status === 200 && etag) {
    const headers = [...request.headers, 'If-None-Match', `"x", W/${etag}`]
    return [{ ...request, headers, expected: { operation, status: 304, codes: [] } }]
  }
  return [
    ...(hasUsedKey(request) ? repeatUnderSameKey(request, response) : []),
    ...(status === 204 && operation !== '' ? afterDeletion(request, lane) : []),
  ]
}

/** A write that reached the rules of the store, with an Idempotency-Key. */
function hasUsedKey({ expected, headers, method, target }: FuzzRequest): boolean {
  const isWrite = expected.operation !== undefined && method !== 'GET' && method !== 'HEAD'
  const reached = [200, 201, 204, 404, 409, 412].includes(expected.status)
  const isDry = /dryRun=/.test(target)
  return isWrite && reached && !isDry && headers.some((name) => /^idempotency-key$/i.test(name))
}

function repeatUnderSameKey(request: FuzzRequest, response: FuzzResponse): FuzzRequest[] {
  const { expected } = request
  // Error responses are not stored: the request is executed and refused again.
  if (expected.status >= 400) return [request]
  const again = { ...request, expected: { ...succeeding(request), replayed: response.text } }
  // An additional byte must not make the body too large.
  const isLarge = (request.body?.length ?? 0) >= 60_000
  if (isLarge && expected.operation !== 'importPets') return [again]
  const isJson = hasBody(request) && expected.operation !== 'importPets'
  if (isJson && request.body) return [again, { ...again, body: inOtherBytes(request.body) }]
  return [again, { ...differentRequest(request), expected: reused(request) }]
}

const succeeding = ({ expected: { operation, status } }: FuzzRequest) => ({
  operation,
  status,
  codes: [],
})
const reused = ({ expected: { operation } }: FuzzRequest) => {
  return { operation, status: 422, codes: ['idempotency_key_reused'] }
}

/** The same JSON value, with which a request is still the same. */
const inOtherBytes = (body: Uint8Array): Buffer => Buffer.concat([body, Buffer.from(' ')])

/** A request that differs from the first one, without a body of JSON. */
function differentRequest(request: FuzzRequest): FuzzRequest {
  const { expected, target } = request
  if (expected.operation === 'importPets') {
    const isCsv = /csv/i.test(findSentHeader(request, 'content-type') ?? '')
    const text = isCsv ? 'categoryId,status,x,name\r\n' : isNdjson(request) ? '\n\n' : ' [ ] '
    return { ...request, body: Buffer.from(text) }
  }
  return { ...request, target: target.replace(/^((?:\/store)?\/\w+\/)[^/?]+/, '$10') }
}

const isNdjson = (request: FuzzRequest): boolean =>
  /ndjson/i.test(findSentHeader(request, 'content-type') ?? '')

function hasBody({ method, target }: FuzzRequest): boolean {
  return method === 'PATCH' || (method === 'POST' && !/\/orders\/./.test(target))
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
