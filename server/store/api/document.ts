// What the OpenAPI document of the store says beyond its operations.
import type { ApiDescription, HeaderCatalog } from '../../platform/api/api-description.ts'
import { openApiDocument } from '../../platform/api/openapi.ts'
import type { ApiErrorCode, Operation } from '../../platform/api/operation.ts'
import { type ErrorCode, errorCodes } from '../../platform/errors.ts'
import { storeTags } from '../operations/store-operation.ts'
import { errorExample } from './error-examples.ts'
import { requestHeaders } from './request-headers.ts'
import { type ResponseHeader, responseHeaders } from './response-headers.ts'

const description = `Lists, creates and retrieves the animals a store offers.

Every operation needs an API key: \`Authorization: Bearer <API_KEY>\`. The two environments have keys
and animals of their own.

Every error has the Error body; \`code\` is for programs, \`message\` for people. Unknown query
parameters and unknown fields of a body are ignored. Every address also answers HEAD, where it answers
GET, and OPTIONS.

Operations that may still change carry \`x-stability\`: \`beta\` (its form may change, with notice) or
\`experimental\` (it may change or go at any time); those without it are stable. An operation that is
deprecated carries \`x-deprecated-sunset\`, the day from which on it is gone.`

/** The document, as plain JSON. */
export function storeDocument(
  operations: readonly Operation[],
  servers: { url: string; description: string }[],
): object {
  return openApiDocument(operations, {
    title: 'Animal Store',
    summary: 'The animals that a store offers.',
    description,
    contactName: 'The store that runs this service',
    servers,
    tags: storeTags,
    security: [{ apiKey: [] }],
    securityOf: () => ({ security: [{ apiKey: [] }] }),
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'The API key of the environment: `Authorization: Bearer <API_KEY>`.',
      },
    },
    pathParameters: {},
    errors,
    headers,
    requestHeaders,
  })
}

const errors: ApiDescription['errors'] = {
  codes: errorCodes,
  common: [
    'invalid_request',
    'missing_api_key',
    'invalid_api_key',
    'expired_api_key',
    'revoked_api_key',
    'wrong_environment',
    'insufficient_scope',
    'not_acceptable',
    'request_timeout',
    'uri_too_long',
    'rate_limited',
    'headers_too_large',
    'internal_error',
    'unavailable',
  ],
  implied: () => [],
  conditions: {
    400: 'The request is not well-formed',
    401: 'Missing or invalid API key',
    403: 'The API key may not do this',
    406: 'The client does not accept JSON',
    408: 'The request did not arrive in time',
    414: 'The address is too long',
    429: 'Too many requests with this API key',
    431: 'The header fields are too large',
    500: 'A fault of the service',
    503: 'The service cannot answer now',
  },
  exampleOf: (code) => errorExample(code as ErrorCode),
}

const always: ResponseHeader[] = ['X-Request-Id', 'X-Content-Type-Options', 'Cache-Control']
const crossOrigin: ResponseHeader[] = [
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
]
const rate: ResponseHeader[] = ['RateLimit-Policy', 'RateLimit']
const ofStatus: Partial<Record<number, ResponseHeader[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  415: ['Accept-Encoding'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

const headers: HeaderCatalog = {
  all: responseHeaders,
  nameOf: (entry) => (entry.endsWith('-Link') ? 'Link' : entry),
  ofSuccess: ({ document = {} }) => successHeaders(document, () => true),
  ofNotModified: ({ document = {} }) =>
    successHeaders(document, (name) => name !== 'Content-Encoding'),
  ofError: (operation, status, codes) => [
    ...always,
    'Vary',
    ...(ofStatus[status] ?? []),
    ...operationHeaders(operation, codes),
  ],
}

function successHeaders(
  { answerHeaders = [], headers: own = [] }: NonNullable<Operation['document']>,
  isKept: (name: string) => boolean,
): string[] {
  return [...always, ...answerHeaders.filter(isKept), ...own, ...crossOrigin, ...rate]
}

/** Refused by the listener, which knows no operation. */
const beforeOperation: ApiErrorCode[] = [
  'invalid_request',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
]

function operationHeaders(
  operation: Operation | undefined,
  codes: readonly ApiErrorCode[],
): readonly string[] {
  if (codes.every((code) => beforeOperation.includes(code))) return []
  // What is refused for its key has spent nothing of the rate limit.
  const isOfKey = codes.every((code) => [401, 403].includes(errorCodes[code as ErrorCode].status))
  return [...(operation?.document?.headers ?? []), ...crossOrigin, ...(isOfKey ? [] : rate)]
}
