// What the OpenAPI document of the store says beyond its operations: headers, examples and errors.
import { type ApiDescription, type HeaderCatalog, openApiDocument } from '#kit/api/openapi.ts'
import { type ApiErrorCode, type Example, methodOf, type Operation } from '#kit/api/operation.ts'
import { type ErrorCode, errorCodes, outcomeUnknown, type Problem } from '#kit/errors.ts'
import { storeTags } from '../operations/store-route.ts'
import { type ResponseHeader, responseHeaders } from './response-headers.ts'

/**
 * The request headers that the service reads, as parameters of the OpenAPI document. Accept, Content-Type and Authorization
 * are not among them: OpenAPI 3.1 (section 4.8.12.1) has other places for these.
 */
const requestHeaders = {
  'X-Request-Id': {
    description:
      'A name for this request, given back in the answer and written to the log. One that is not of this form is replaced.',
    schema: { type: 'string', pattern: '^[\\w.:-]{1,128}$' },
    example: 'import-2027-01-01.17',
  },
  'If-None-Match': {
    description:
      'The ETag of an answer that the client has (RFC 9110): where it is still current, the answer is 304.',
    schema: { type: 'string' },
  },
  'If-Match': {
    description:
      'The ETag that the record must still have (RFC 9110); if it has changed, the response is 412 and nothing is written.',
    schema: { type: 'string' },
  },
  Prefer: {
    description:
      '`count=exact` adds X-Total-Count to the answer (RFC 7240). Other preferences are ignored.',
    schema: { type: 'string' },
    example: 'count=exact',
  },
  'Idempotency-Key': {
    description:
      'A name for this request, 1 to 255 visible ASCII characters, plain or in quotation marks. For 24 hours the same request with the same key gives the first response again; any other request of the same API key with it is a 422.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 257,
      pattern: '^("[!#-\\[\\]-~]{1,255}"|[!#-~][!-~]{0,254})$',
    },
  },
} as const

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
    'invalid_parameter',
    'not_acceptable',
    'request_timeout',
    'uri_too_long',
    'rate_limited',
    'headers_too_large',
    'internal_error',
    'unavailable',
  ],
  ofChanges: ['outcome_unknown'],
  conditions: {
    400: 'The request is not well-formed, or a parameter is unknown',
    401: 'Missing or invalid API key',
    403: 'The API key may not do this',
    406: 'The client does not accept JSON',
    429: 'Too many requests with this API key',
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
  415: ['Accept-Encoding', 'Accept-Patch', 'Accept-Post'],
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
    ...(ofStatus[status] ?? []).filter((name) => isOfMethod(name, operation)),
    ...operationHeaders(operation, codes),
  ],
}

/** Accept-Patch and Accept-Post belong to one method each. */
const isOfMethod = (name: string, operation: Operation | undefined): boolean =>
  !/^Accept-P/.test(name) || name.toUpperCase() === `ACCEPT-${operation && methodOf(operation)}`

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

const commaProblem = {
  path: '',
  message: 'Line 1, column 14: a comma stands before the end of the object; remove the comma.',
}
const limitProblem = { path: 'limit', message: 'limit must be an integer from 1 to 100.' }
const nameProblem = { path: 'name', message: 'name is required.' }
const statusProblem = {
  path: 'status',
  message: 'status must be one of: available, pending, sold.',
}

/** The messages of the service; test/openapi.test.ts provokes most of them. */
const messages: Record<ErrorCode, string | { message: string; details: Problem[] }> = {
  malformed_json: { message: commaProblem.message, details: [commaProblem] },
  invalid_body: {
    message: `${nameProblem.message} ${statusProblem.message}`,
    details: [nameProblem, statusProblem],
  },
  invalid_parameter: { message: limitProblem.message, details: [limitProblem] },
  invalid_cursor: {
    message: 'cursor must come from a page with the same filter. Start again without it.',
    details: [{ path: 'cursor', message: 'cursor is damaged or belongs to another filter.' }],
  },
  invalid_idempotency_key: 'Send Idempotency-Key once, with 1 to 255 visible ASCII characters.',
  invalid_request: 'The request is not well-formed HTTP/1.1.',
  missing_api_key: 'Send your API key as "Authorization: Bearer <API_KEY>".',
  invalid_api_key: 'Unknown API key. Check that it is complete.',
  expired_api_key: 'This API key has expired.',
  revoked_api_key: 'This API key has been revoked.',
  wrong_environment: 'This API key is for staging; this is production.',
  insufficient_scope: 'This API key lacks the scope pets:write.',
  pet_not_found: 'No animal has this id.',
  category_not_found: 'No category has this id.',
  order_not_found: 'No order has this id.',
  route_not_found: 'Nothing is served at this address. See /openapi.json below the base address.',
  method_not_allowed: 'DELETE is not allowed here. Allowed methods: GET, HEAD, OPTIONS, POST.',
  not_acceptable: 'The response is application/json. Accept must include it.',
  request_timeout: 'The request did not arrive in time. Send head and body without long pauses.',
  pet_not_available: 'Animal 7 is pending, not available.',
  conflict: 'Order 1 holds this animal. Deliver or cancel it first.',
  operation_removed:
    'This operation was removed on 5 December 2030. Use GET /pets with the id or status filter.',
  precondition_failed: 'The animal has changed since the ETag of If-Match. Fetch it again.',
  body_too_large: 'The body must not exceed 65536 bytes.',
  uri_too_long: 'The address is longer than 8192 bytes. Shorten the query.',
  unsupported_media_type: 'Send the body as Content-Type: application/json.',
  unsupported_content_encoding: 'Send the body without Content-Encoding.',
  idempotency_key_reused: 'This Idempotency-Key was used for another request. Use a new one.',
  rate_limited: 'This key is limited to 600 requests in 60 seconds. Retry in 1 s.',
  headers_too_large: 'The header fields are larger than 32 KiB. Send fewer or shorter ones.',
  internal_error: 'Something went wrong on our side. Quote the X-Request-Id when you report it.',
  unavailable: 'The service cannot reach its database. Try again in a moment.',
  outcome_unknown: outcomeUnknown(undefined).message,
}

/** An Error body, with the code's meaning as its summary. */
function errorExample(code: ErrorCode): Example {
  const { status, meaning } = errorCodes[code]
  const example = messages[code]
  const { message, ...details } = typeof example === 'string' ? { message: example } : example
  return { summary: meaning, value: { code, message, status, ...details } }
}
