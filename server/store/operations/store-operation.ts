// Operations on the store's records, declared once for both APIs: with API keys below the base addresses, and
// for operators in the management API. Lists, single records and writes each share headers and errors.
import type { Operation, OperationDocument } from '../../platform/api/operation.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import type { Scope } from '../keys/scopes.ts'

export interface StoreOperation extends Operation {
  tag: StoreTag
  scope: Scope
  errors: readonly ErrorCode[]
}

/** The groups of operations, in the order of the document. */
export const storeTags = {
  animals: 'The animals that the store offers.',
  categories: 'Names for the categories of animals.',
  orders: 'Orders, which reserve animals.',
} as const
type StoreTag = keyof typeof storeTags

/** An operation without what its kind adds. */
type Declaration = Omit<StoreOperation, 'errors' | 'status'> & { errors?: readonly ErrorCode[] }

type Declared<D, Status> = Omit<D, 'errors'> & {
  status: Status
  errors: readonly ErrorCode[]
}

/** A page of records. */
export function listOperation<const D extends Declaration>(declared: D): Declared<D, 200> {
  return complete(declared, 200, ['invalid_parameter', 'invalid_cursor'], {
    requestHeaders: ['Prefer', 'If-None-Match', 'X-Request-Id'],
    answerHeaders: [
      ...['Page-Link', 'X-Total-Count', 'Preference-Applied', 'ETag', 'Vary', 'Content-Encoding'],
    ],
    isConditional: true,
    conditions: { 400: 'A parameter is out of range, repeated, empty or of an unknown value' },
  })
}

/** One record. */
export function recordOperation<const D extends Declaration>(declared: D): Declared<D, 200> {
  return complete(declared, 200, [], {
    requestHeaders: ['If-None-Match', 'X-Request-Id'],
    answerHeaders: ['ETag', 'Vary', 'Content-Encoding'],
    isConditional: true,
  })
}

const bodyErrors: ErrorCode[] = [
  'malformed_json',
  'invalid_body',
  'invalid_idempotency_key',
  'body_too_large',
  'unsupported_media_type',
  'unsupported_content_encoding',
  'idempotency_key_reused',
]
const bodyConditions = {
  400: 'Body missing required fields or containing invalid values',
  413: 'The body is over 64 KiB',
  415: 'The body is not plain JSON',
}

/** A change: with an Idempotency-Key, and with If-Match where it changes a record by its id. */
export function writeOperation<const D extends Declaration & { status: 200 | 201 | 204 }>(
  declared: D,
): Declared<D, D['status']> {
  const { body, rawBody, route, status } = declared
  const hasBody = body !== undefined || rawBody !== undefined
  const isConditional = !route.startsWith('POST ')
  const headers: Record<typeof status, string[]> = {
    200: ['Vary', 'ETag', 'Idempotent-Replayed'],
    201: ['Vary', 'Location', 'ETag', 'Idempotent-Replayed'],
    204: ['Vary', 'Idempotent-Replayed'],
  }
  const errors: ErrorCode[] = hasBody
    ? bodyErrors.filter((code) => body || code !== 'malformed_json')
    : ['invalid_idempotency_key', 'idempotency_key_reused']
  if (isConditional) errors.push('precondition_failed')
  return complete(declared, status, errors, {
    requestHeaders: [...(isConditional ? ['If-Match'] : []), 'Idempotency-Key', 'X-Request-Id'],
    answerHeaders: headers[status],
    conditions: {
      ...(hasBody ? bodyConditions : {}),
      412: 'The record has changed since the ETag of If-Match',
      422: 'The Idempotency-Key belongs to another request',
    },
  })
}

function complete<D extends Declaration, Status extends 200 | 201 | 204>(
  declared: D,
  status: Status,
  errors: ErrorCode[],
  usual: OperationDocument,
): Declared<D, Status> {
  const { document = {} } = declared
  return {
    ...declared,
    status,
    errors: [...errors, ...(declared.errors ?? [])],
    document: {
      ...usual,
      ...document,
      conditions: { ...usual.conditions, ...document.conditions },
    },
  }
}
