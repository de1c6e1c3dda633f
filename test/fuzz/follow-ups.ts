// What can be asked only after an answer: the same creation again, another under its Idempotency-Key,
// the same animal again with its ETag.
import { type FuzzRequest, sentField } from './request.ts'
import type { FuzzAnswer } from './send.ts'

export function followUps(request: FuzzRequest, answer: FuzzAnswer): FuzzRequest[] {
  const { operation, status } = request.expected
  if (operation === 'createPet' && status === 201 && sentField(request, 'idempotency-key')) {
    // One byte more must not be one too many.
    const isLarge = (request.body?.length ?? 0) >= 60_000
    return isLarge ? [again(request)] : [again(request), withOtherBody(request)]
  }
  const etag = answer.headers.get('etag')?.[0]
  if (operation === 'getPet' && status === 200 && etag) {
    const headers = [...request.headers, 'If-None-Match', `"x", W/${etag}`]
    return [{ ...request, headers, expected: { operation, status: 304, codes: [] } }]
  }
  return []
}

function again(request: FuzzRequest): FuzzRequest {
  return { ...request, expected: { ...request.expected, isSameBody: true } }
}

/** The same value, even; but not the same bytes. */
function withOtherBody(request: FuzzRequest): FuzzRequest {
  const body = Buffer.concat([request.body ?? new Uint8Array(), Buffer.from(' ')])
  const codes = ['idempotency_key_reused']
  return { ...request, body, expected: { ...request.expected, status: 422, codes } }
}
