// An example of each error, as the service really words it; test/openapi.test.ts asks for most of them.

import type { Example } from '../../platform/api/operation.ts'
import { type ErrorCode, errorCodes, type Problem } from '../../platform/errors.ts'

const commaProblem = {
  path: '',
  message: 'Line 1, column 14: a comma stands before the end of the object; remove the comma.',
}
const limitProblem = {
  path: 'limit',
  message: 'limit must be an integer from 1 to 100.',
}
const nameProblem = { path: 'name', message: 'name is required.' }
const statusProblem = {
  path: 'status',
  message: 'status must be one of: available, pending, sold.',
}

const words: Record<ErrorCode, string | { message: string; details: Problem[] }> = {
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
}

/** The example of a code: an Error body, with the code's meaning as its summary. */
export function errorExample(code: ErrorCode): Example {
  const { status, meaning } = errorCodes[code]
  const said = words[code]
  const { message, details } =
    typeof said === 'string' ? { message: said, details: undefined } : said
  return { summary: meaning, value: { code, message, status, ...(details ? { details } : {}) } }
}
