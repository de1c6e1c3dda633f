// Operations on the store's records, declared once for both APIs: with API keys below the base addresses, and
// for operators in the management API. Lists, single records and writes each share headers and errors.
import type { Operation, OperationDocument } from '#kit/api/operation.ts'
import type { ErrorCode } from '#kit/errors.ts'
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

type Derived = Pick<StoreOperation, 'operationId' | 'tag' | 'scope' | 'status' | 'errors'>
type Declaration = Omit<StoreOperation, keyof Derived> &
  Partial<Pick<StoreOperation, 'status' | 'errors'>>
/** The errors, and the parts of the document, that operations of one kind share. */
type Kind = { errors: ErrorCode[]; document: OperationDocument }

/**
 * Declares operations by their ids, keeping their exact types. A GET with a query is a list, another GET a record,
 * everything else a write. `records` is what the scopes are named for.
 */
export function declareStoreOperations<const D extends Record<string, Declaration>>(
  { records, tag }: { records: 'pets' | 'orders'; tag: StoreTag },
  declarations: D,
): { [Id in keyof D]: Omit<D[Id], 'errors'> & Derived } {
  const declared = Object.entries(declarations).map(([operationId, own]): StoreOperation => {
    const { document = {}, errors = [], query, returns, route } = own
    const isRead = route.startsWith('GET ')
    const status = own.status ?? (returns ? 200 : 204)
    const read = query ? listKind : recordKind
    const kind = isRead ? read : writeKind(own, status)
    return {
      ...own,
      operationId,
      tag,
      scope: `${records}:${isRead ? 'read' : 'write'}`,
      status,
      errors: [...kind.errors, ...errors],
      document: {
        ...kind.document,
        ...document,
        conditions: { ...kind.document.conditions, ...document.conditions },
      },
    }
  })
  return Object.fromEntries(declared.map((one) => [one.operationId, one])) as ReturnType<
    typeof declareStoreOperations<D>
  >
}

const listKind: Kind = {
  errors: ['invalid_parameter', 'invalid_cursor'],
  document: {
    requestHeaders: ['Prefer', 'If-None-Match', 'X-Request-Id'],
    answerHeaders: [
      ...['Page-Link', 'X-Total-Count', 'Preference-Applied', 'ETag', 'Vary', 'Content-Encoding'],
    ],
    isConditional: true,
    conditions: {
      400: 'A parameter is unknown, out of range, repeated, empty or of an unknown value',
    },
  },
}

const recordKind: Kind = {
  errors: [],
  document: {
    requestHeaders: ['If-None-Match', 'X-Request-Id'],
    answerHeaders: ['ETag', 'Vary', 'Content-Encoding'],
    isConditional: true,
  },
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

/** A write takes an Idempotency-Key, and If-Match where it changes a record by its id. */
function writeKind({ body, rawBody, route }: Declaration, status: StoreOperation['status']): Kind {
  const hasBody = body !== undefined || rawBody !== undefined
  const isConditional = !route.startsWith('POST ')
  const headers = {
    200: ['Vary', 'ETag', 'Idempotent-Replayed'],
    201: ['Vary', 'Location', 'ETag', 'Idempotent-Replayed'],
    204: ['Vary', 'Idempotent-Replayed'],
  }
  const errors: ErrorCode[] = hasBody
    ? bodyErrors.filter((code) => body || code !== 'malformed_json')
    : ['invalid_idempotency_key', 'idempotency_key_reused']
  if (isConditional) errors.push('precondition_failed')
  return {
    errors,
    document: {
      requestHeaders: [...(isConditional ? ['If-Match'] : []), 'Idempotency-Key', 'X-Request-Id'],
      answerHeaders: headers[status],
      conditions: {
        ...(hasBody ? bodyConditions : {}),
        412: 'The record has changed since the ETag of If-Match',
        422: 'The Idempotency-Key belongs to another request',
      },
    },
  }
}
