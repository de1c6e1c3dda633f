// The closed list of error codes, and the error type (specification, "Errors"). All error responses use
// these codes; test/errors.test.ts checks that list, code and OpenAPI agree.

export const errorCodes = {
  malformed_json: { status: 400, meaning: 'The body is not strict JSON (RFC 8259).' },
  invalid_body: { status: 400, meaning: 'The body misses required fields or has invalid values.' },
  invalid_parameter: { status: 400, meaning: 'A query parameter has a value it cannot take.' },
  invalid_cursor: { status: 400, meaning: 'The cursor is damaged or belongs to another filter.' },
  invalid_idempotency_key: {
    status: 400,
    meaning: 'The Idempotency-Key is not 1 to 255 characters.',
  },
  invalid_request: { status: 400, meaning: 'The request is not well-formed HTTP.' },
  missing_api_key: { status: 401, meaning: 'No API key was sent.' },
  invalid_api_key: { status: 401, meaning: 'The API key is not known here.' },
  expired_api_key: { status: 401, meaning: 'The API key was right and has expired.' },
  revoked_api_key: { status: 401, meaning: 'The API key was right and has been revoked.' },
  wrong_environment: { status: 401, meaning: 'The API key belongs to the other base address.' },
  insufficient_scope: { status: 403, meaning: 'The API key lacks the scope of this operation.' },
  pet_not_found: { status: 404, meaning: 'No animal has this id.' },
  category_not_found: { status: 404, meaning: 'No category has this id.' },
  order_not_found: { status: 404, meaning: 'No order has this id.' },
  route_not_found: { status: 404, meaning: 'Nothing is served at this address.' },
  method_not_allowed: {
    status: 405,
    meaning: 'The address exists, the method does not; see Allow.',
  },
  not_acceptable: { status: 406, meaning: 'Accept leaves out application/json.' },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time.' },
  pet_not_available: { status: 409, meaning: 'The animal is not available to be ordered.' },
  conflict: { status: 409, meaning: 'The record is in a state that forbids this.' },
  operation_removed: { status: 410, meaning: 'The operation is past its sunset.' },
  precondition_failed: {
    status: 412,
    meaning: 'The record has changed since the ETag of If-Match.',
  },
  body_too_large: { status: 413, meaning: 'The body is over the limit.' },
  uri_too_long: { status: 414, meaning: 'The request target is over the limit.' },
  unsupported_media_type: {
    status: 415,
    meaning: 'The body is of a media type that is not taken here.',
  },
  unsupported_content_encoding: { status: 415, meaning: 'The body is compressed.' },
  idempotency_key_reused: {
    status: 422,
    meaning: 'The Idempotency-Key was used for another request.',
  },
  rate_limited: { status: 429, meaning: 'Too many requests; see Retry-After.' },
  headers_too_large: { status: 431, meaning: 'The header fields are over the limit.' },
  internal_error: { status: 500, meaning: 'A fault of ours; the log has the request id.' },
  unavailable: { status: 503, meaning: 'The database does not answer; see Retry-After.' },
} as const satisfies Record<string, { status: number; meaning: string }>

/** Codes of the management API only; not part of the store's OpenAPI document. */
export const managementErrorCodes = {
  not_signed_in: { status: 401, meaning: 'Neither a session nor an access token was sent.' },
  invalid_credentials: { status: 401, meaning: 'Incorrect email or password.' },
  invalid_token: { status: 401, meaning: 'The access token is unknown or has expired.' },
  cross_site_request: { status: 403, meaning: 'The request came from a page of another site.' },
  operator_only: { status: 403, meaning: 'Only an operator may do this.' },
  link_not_valid: { status: 410, meaning: 'The link is invalid, has expired or was already used.' },
  account_not_found: { status: 404, meaning: 'There is no such account.' },
  session_not_found: { status: 404, meaning: 'There is no such session.' },
  token_not_found: { status: 404, meaning: 'There is no such access token.' },
  invitation_not_found: { status: 404, meaning: 'There is no such invitation.' },
  project_not_found: { status: 404, meaning: 'There is no such project, or it is not yours.' },
  deploy_not_found: { status: 404, meaning: 'The project has no such deploy.' },
  domain_not_found: { status: 404, meaning: 'The project has no such domain.' },
  plan_required: { status: 403, meaning: 'The plan does not include this.' },
  deploy_required: { status: 409, meaning: 'The project has no successful deploy yet.' },
  domain_taken: { status: 409, meaning: 'The domain is on a project of yours already.' },
  key_not_found: { status: 404, meaning: 'There is no such API key, or it has been revoked.' },
  webhook_not_found: { status: 404, meaning: 'There is no such webhook.' },
  delivery_not_found: { status: 404, meaning: 'There is no delivery to resend.' },
  email_taken: { status: 409, meaning: 'Another account has this e-mail address.' },
  slug_taken: { status: 409, meaning: 'Another project has or had this slug.' },
  files_missing: { status: 409, meaning: 'Files of the deploy have not been uploaded.' },
  limit_reached: { status: 409, meaning: 'The limit for this kind of record is reached.' },
  invalid_archive: {
    status: 400,
    meaning: 'The archive is damaged or contains unsupported entries.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>

/** Errors that occur before a request reaches an API; not part of any OpenAPI document. */
export const edgeErrorCodes = {
  misdirected_request: {
    status: 421,
    meaning: 'The connection was made for another host; a new one reaches this one.',
  },
} as const satisfies Record<string, { status: number; meaning: string }>

export type ErrorCode = keyof typeof errorCodes
export type ManagementErrorCode = keyof typeof managementErrorCodes
type AnyErrorCode = ErrorCode | ManagementErrorCode | keyof typeof edgeErrorCodes

const statuses: Record<AnyErrorCode, { status: number }> = {
  ...errorCodes,
  ...managementErrorCodes,
  ...edgeErrorCodes,
}

/** One problem of a 400: where it is and how to fix it. */
export interface Problem {
  path: string
  message: string
}

export interface AppErrorOptions {
  cause?: unknown
  details?: Problem[]
  headers?: Record<string, string>
}

/** An error with a message for clients. All other errors become an opaque 500. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: AnyErrorCode
  readonly details: Problem[] | undefined
  readonly headers: Record<string, string>

  constructor(code: AnyErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.details = options.details
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return statuses[this.code].status
  }
}

/** The database is temporarily unavailable: a 503 with Retry-After. */
export function unavailable(cause: unknown): AppError {
  return new AppError(
    'unavailable',
    'The service cannot reach its database. Try again in a moment.',
    {
      cause,
      headers: { 'Retry-After': '1' },
    },
  )
}

/** Converts any thrown value to an error for clients; unknown errors reveal no internals. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  return new AppError(
    'internal_error',
    'Something went wrong on our side. Quote the X-Request-Id when you report it.',
    {
      cause: thrown,
    },
  )
}

/** The Error body of the specification: code, message, status, and details on a 400. */
export function errorBody(error: AppError): string {
  return JSON.stringify({
    code: error.code,
    message: error.message,
    status: error.status,
    ...(error.details ? { details: error.details } : {}),
  })
}
