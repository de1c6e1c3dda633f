// What an operation answers, for the OpenAPI document: every status and field that really occurs.
// test/openapi.test.ts and the fuzzer hold it against what the service does.
import { STATUS_CODES } from 'node:http'
import { type ErrorCode, errorCodes } from '../../platform/errors.ts'
import { type AnswerHeader, headersMap } from './answer-headers.ts'
import type { Operation } from './operation.ts'

/** What can go wrong with any operation. */
const everywhere: ErrorCode[] = [
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
]

const conditions: Partial<Record<number, string>> = {
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
}

const always: AnswerHeader[] = ['X-Request-Id', 'X-Content-Type-Options', 'Cache-Control']
const crossOrigin: AnswerHeader[] = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers']
const rate: AnswerHeader[] = ['RateLimit-Policy', 'RateLimit']
const own: Partial<Record<number, AnswerHeader[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  415: ['Accept-Encoding'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** The `responses` of an operation, by status. */
export function answersOf(operation: Operation): Record<string, object> {
  const { success, headers = [] } = operation
  const answers: Record<string, object> = {
    [success.status]: {
      description: success.description,
      headers: headersMap([...always, ...success.headers, ...headers, ...crossOrigin, ...rate]),
      ...(success.schema === undefined
        ? {}
        : {
            content: {
              'application/json': {
                schema: { $ref: `#/components/schemas/${success.schema}` },
                examples: success.examples,
              },
            },
          }),
    },
  }
  if (success.status === 200 && success.conditional !== false) {
    const kept = success.headers.filter((name) => name !== 'Content-Encoding')
    answers[304] = {
      description: 'The client has it already, as its If-None-Match says',
      headers: headersMap([...always, ...kept, ...headers, ...crossOrigin, ...rate]),
    }
  }
  const codes = codesOf(operation)
  for (const status of new Set(codes.map((code) => errorCodes[code].status))) {
    answers[status] =
      isShared(operation, status) && headers.length === 0
        ? { $ref: `#/components/responses/${responseName(status)}` }
        : refusal(operation, status)
  }
  return answers
}

/** All codes that an operation's errors may have. */
export function codesOf(operation: Operation): ErrorCode[] {
  return [...everywhere, ...operation.errors]
}

/** The answers that are the same for all operations without fields of their own, by name. */
export function sharedAnswers(): Record<string, object> {
  const statuses = new Set(everywhere.map((code) => errorCodes[code].status))
  statuses.delete(400)
  return Object.fromEntries(
    [...statuses].sort().map((status) => [responseName(status), refusal(undefined, status)]),
  )
}

function isShared(operation: Operation, status: number): boolean {
  const isEverywhere = everywhere.some((code) => errorCodes[code].status === status)
  return (
    isEverywhere && status !== 400 && !operation.errors.some((c) => errorCodes[c].status === status)
  )
}

function responseName(status: number): string {
  return (STATUS_CODES[status] ?? '').replaceAll(/[^A-Za-z]/g, '')
}

/** The answer of one status: its condition, and the codes that tell its cases apart. */
function refusal(operation: Operation | undefined, status: number): object {
  const codes = [...everywhere, ...(operation?.errors ?? [])].filter(
    (code) => errorCodes[code].status === status,
  )
  const condition = operation?.conditions[status] ?? conditions[status]
  const cases = codes.map((code) => `- \`${code}\`: ${errorCodes[code].meaning}`)
  return {
    description: `${condition}\n\n${cases.join('\n')}`,
    headers: headersMap([
      ...always,
      'Vary',
      ...(own[status] ?? []),
      ...fieldsByTheWay(operation, codes),
    ]),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(
          codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
        ),
      },
    },
  }
}

// What the listener refuses knows no operation yet; what is refused for its key has spent nothing.
const beforeOperation: ErrorCode[] = [
  'invalid_request',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
]

function fieldsByTheWay(operation: Operation | undefined, codes: ErrorCode[]): AnswerHeader[] {
  if (codes.every((code) => beforeOperation.includes(code))) return []
  const isOfKey = codes.every((code) => [401, 403].includes(errorCodes[code].status))
  return [...(operation?.headers ?? []), ...crossOrigin, ...(isOfKey ? [] : rate)]
}
