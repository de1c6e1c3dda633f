// What can be asked only after an answer: the same write again, another under its Idempotency-Key, the
// same record again with its ETag, what has just been removed.
import type { Lane } from './choices.ts'
import { type FuzzRequest, sentField } from './request.ts'
import type { FuzzAnswer } from './send.ts'

export function followUps(request: FuzzRequest, answer: FuzzAnswer, lane: Lane): FuzzRequest[] {
  const { operation = '', status } = request.expected
  const etag = answer.headers.get('etag')?.[0]
  if (operation.startsWith('get') && status === 200 && etag) {
    const headers = [...request.headers, 'If-None-Match', `"x", W/${etag}`]
    return [{ ...request, headers, expected: { operation, status: 304, codes: [] } }]
  }
  return [
    ...(hasUsedKey(request) ? underSameKey(request, answer) : []),
    ...(status === 204 && operation !== '' ? afterRemoval(request, lane) : []),
  ]
}

/** A write that came as far as its rules, and that is of use to nobody but for its key. */
function hasUsedKey({ expected, headers, method, target }: FuzzRequest): boolean {
  const isWrite = expected.operation !== undefined && method !== 'GET' && method !== 'HEAD'
  const reached = [200, 201, 204, 404, 409, 412].includes(expected.status)
  const isDry = /dryRun=/.test(target)
  return isWrite && reached && !isDry && headers.some((name) => /^idempotency-key$/i.test(name))
}

function underSameKey(request: FuzzRequest, answer: FuzzAnswer): FuzzRequest[] {
  const { expected } = request
  // What was refused is not kept: it is refused anew.
  if (expected.status >= 400) return [request]
  const again = { ...request, expected: { ...bare(request), replayed: answer.text } }
  // One byte more must not be one too many.
  const isLarge = (request.body?.length ?? 0) >= 60_000
  if (isLarge && expected.operation !== 'importPets') return [again]
  return [again, { ...other(request), expected: reused(request) }]
}

const bare = ({ expected: { operation, status } }: FuzzRequest) => ({
  operation,
  status,
  codes: [],
})
const reused = ({ expected: { operation } }: FuzzRequest) => {
  return { operation, status: 422, codes: ['idempotency_key_reused'] }
}

/** Another request under the key. The same value, even, where there is a body; but not the same bytes. */
function other(request: FuzzRequest): FuzzRequest {
  const { body, expected, target } = request
  if (expected.operation === 'importPets') {
    const isCsv = /csv/i.test(sentField(request, 'content-type') ?? '')
    const text = isCsv ? 'categoryId,status,x,name\r\n' : isNdjson(request) ? '\n\n' : ' [ ] '
    return { ...request, body: Buffer.from(text) }
  }
  if (body && takesBody(request))
    return { ...request, body: Buffer.concat([body, Buffer.from(' ')]) }
  return { ...request, target: target.replace(/^((?:\/store)?\/\w+\/)[^/?]+/, '$10') }
}

const isNdjson = (request: FuzzRequest): boolean =>
  /ndjson/i.test(sentField(request, 'content-type') ?? '')

function takesBody({ method, target }: FuzzRequest): boolean {
  return method === 'PATCH' || (method === 'POST' && !/\/orders\/./.test(target))
}

/** It is no longer there, and cannot be removed a second time. */
function afterRemoval({ environment, target, expected }: FuzzRequest, lane: Lane): FuzzRequest[] {
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
