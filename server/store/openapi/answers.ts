// What each operation answers, for the OpenAPI document: every status and field that really occurs.
// test/openapi.test.ts and the fuzzer hold it against what the service does.
import { type ErrorCode, errorCodes } from '../../platform/errors.ts'

interface Field {
  description: string
  schema: object
}

const text = { type: 'string' }
const field = (description: string, schema: object = text): Field => ({ description, schema })

const common = { 'X-Request-Id': field('Quote it when you report a problem.') }
const conditional = {
  ETag: field('Strong validator of the body; send it back in If-None-Match (RFC 9110).'),
  'Cache-Control': field('`private, no-cache`: keep it, but ask again.'),
  Vary: field('What else decided the answer.'),
}
const rate = {
  'RateLimit-Policy': field('The quota of the key; only where a limit is configured.'),
  RateLimit: field('What is left of it; only where a limit is configured.'),
}
const deprecation = {
  Deprecation: field('Since when the operation is deprecated (RFC 9745).', {
    type: 'string',
    examples: ['@1764892800'],
  }),
  Sunset: field('When it will be removed (RFC 8594).', {
    type: 'string',
    examples: ['Thu, 05 Dec 2030 00:00:00 GMT'],
  }),
  Link: field('Relations `deprecation` and `successor-version`.'),
}
const errorFields: Partial<Record<number, Record<string, Field>>> = {
  401: { 'WWW-Authenticate': field('The bearer challenge (RFC 6750).') },
  403: {
    'WWW-Authenticate': field('The bearer challenge, with the scope that is missing (RFC 6750).'),
  },
  415: { 'Accept-Encoding': field('`identity`, where the body was compressed.') },
  429: { 'Retry-After': field('Seconds to wait.', { type: 'integer' }), ...rate },
  503: { 'Retry-After': field('Seconds to wait.', { type: 'integer' }) },
}

const success: Record<
  string,
  { status: number; description: string; schema: string; headers: Record<string, Field> }
> = {
  listPets: {
    status: 200,
    description: 'A page of animals',
    schema: 'Pets',
    headers: {
      ...conditional,
      ...rate,
      Link: field('Other pages: relations `first`, `prev` and `next` (RFC 8288).'),
      'X-Total-Count': field('How many animals the filter has; only with `Prefer: count=exact`.', {
        type: 'integer',
      }),
      'Preference-Applied': field('`count=exact`, where it was asked for (RFC 7240).'),
    },
  },
  createPet: {
    status: 201,
    description: 'Animal added; the body carries the assigned id',
    schema: 'Pet',
    headers: {
      Location: field('Where the animal is.', { type: 'string', format: 'uri' }),
      ETag: field('Strong validator of the body.'),
      'Idempotent-Replayed': field('`true` where an earlier answer is given again.'),
      ...rate,
    },
  },
  getPet: {
    status: 200,
    description: 'The requested animal',
    schema: 'Pet',
    headers: { ...conditional, ...rate },
  },
}

const everywhere: ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'revoked_api_key',
  'wrong_environment',
  'insufficient_scope',
  'rate_limited',
  'not_acceptable',
  'internal_error',
  'unavailable',
  'invalid_request',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
]

const refusals: Record<string, ErrorCode[]> = {
  listPets: ['invalid_parameter', 'invalid_cursor'],
  createPet: [
    'malformed_json',
    'invalid_body',
    'invalid_idempotency_key',
    'body_too_large',
    'unsupported_media_type',
    'unsupported_content_encoding',
    'idempotency_key_reused',
  ],
  getPet: ['pet_not_found', 'operation_removed'],
}

const conditions: Partial<Record<string, string>> = {
  'createPet 400': 'Body missing required fields or containing invalid values',
  '401': 'Missing or invalid API key',
  'getPet 404': 'The requested resource could not be found',
}

/** The `responses` of an operation. */
export function answers(operation: keyof typeof success & string): Record<number, object> {
  const extra = operation === 'getPet' ? deprecation : {}
  const found = success[operation] as (typeof success)[string]
  const responses: Record<number, object> = {
    [found.status]: {
      description: found.description,
      headers: { ...found.headers, ...extra, ...common },
      content: { 'application/json': { schema: { $ref: found.schema } } },
    },
  }
  if (found.status === 200) {
    responses[304] = {
      description: 'The client has it already',
      headers: { ...conditional, ...extra, ...common },
    }
  }
  for (const code of [...everywhere, ...(refusals[operation] ?? [])]) {
    const { status } = errorCodes[code]
    const codes = [...everywhere, ...(refusals[operation] ?? [])].filter(
      (c) => errorCodes[c].status === status,
    )
    const meanings = codes.map((c) => `\`${c}\`: ${errorCodes[c].meaning}`).join(' ')
    const condition = conditions[`${operation} ${status}`] ?? conditions[status]
    responses[status] = {
      description: condition ? `${condition}. ${meanings}` : meanings,
      headers: { ...errorFields[status], ...extra, ...common },
      content: { 'application/json': { schema: { $ref: 'Error' } } },
    }
  }
  return responses
}
