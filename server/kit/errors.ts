// The closed list of error codes, and the error type (specification, "Errors"). All error responses use
// these codes; test/errors.test.ts checks that list, code and OpenAPI agree.

const error = (status: number, meaning: string) => ({ status, meaning })

export const errorCodes = {
  malformed_json: error(400, 'The body is not strict JSON (RFC 8259).'),
  invalid_body: error(400, 'The body misses required fields or has invalid values.'),
  invalid_parameter: error(400, 'A query parameter has an invalid value.'),
  invalid_cursor: error(400, 'The cursor is damaged or belongs to another filter.'),
  invalid_idempotency_key: error(400, 'The Idempotency-Key is not 1 to 255 characters.'),
  invalid_request: error(400, 'The request is not well-formed HTTP.'),
  missing_api_key: error(401, 'No API key was sent.'),
  invalid_api_key: error(401, 'The API key is unknown.'),
  expired_api_key: error(401, 'The API key has expired.'),
  revoked_api_key: error(401, 'The API key has been revoked.'),
  wrong_environment: error(401, 'The API key belongs to the other base address.'),
  insufficient_scope: error(403, 'The API key or token lacks the scope of this operation.'),
  pet_not_found: error(404, 'No animal has this id.'),
  category_not_found: error(404, 'No category has this id.'),
  order_not_found: error(404, 'No order has this id.'),
  route_not_found: error(404, 'Nothing is served at this address.'),
  method_not_allowed: error(405, 'The method is not allowed at this address; see Allow.'),
  not_acceptable: error(406, 'Accept does not include application/json.'),
  request_timeout: error(408, 'The request did not arrive in time.'),
  pet_not_available: error(409, 'The animal is not available to be ordered.'),
  conflict: error(409, 'The state of the record does not allow this.'),
  operation_removed: error(410, 'The operation has been removed.'),
  precondition_failed: error(412, 'The record has changed since the ETag of If-Match.'),
  body_too_large: error(413, 'The body is over the limit.'),
  uri_too_long: error(414, 'The request target is over the limit.'),
  unsupported_media_type: error(415, 'The media type of the body is not supported.'),
  unsupported_content_encoding: error(415, 'The body is compressed.'),
  idempotency_key_reused: error(422, 'The Idempotency-Key was used for another request.'),
  rate_limited: error(429, 'Too many requests; see Retry-After.'),
  headers_too_large: error(431, 'The header fields are over the limit.'),
  internal_error: error(500, 'An internal error; the log has the request id.'),
  unavailable: error(503, 'The service cannot do this now. Nothing was changed; see Retry-After.'),
  outcome_unknown: error(504, 'Unknown whether it was changed: the database did not confirm it.'),
}

/** Codes of the management API only; not part of the store's OpenAPI document. */
export const managementErrorCodes = {
  not_signed_in: error(401, 'Neither a session nor an access token was sent.'),
  invalid_credentials: error(401, 'Incorrect email or password.'),
  second_factor_required: error(401, 'The account requires a one-time code, too.'),
  invalid_code: error(401, 'The one-time code or recovery code is not valid.'),
  invalid_passkey: error(401, 'The passkey is unknown, or its response is not valid.'),
  sign_in_failed: error(401, 'The response of the identity provider is not valid or has expired.'),
  sign_in_cancelled: error(401, 'The sign-in was cancelled at the identity provider.'),
  invalid_token: error(401, 'The access token is unknown or has expired.'),
  second_factor_missing: error(403, 'A second factor is required here: add one first.'),
  cross_site_request: error(403, 'The request came from a page of another site.'),
  identity_not_connected: error(403, 'No account is connected to this identity.'),
  identity_not_allowed: error(403, 'The identity is not in an allowed e-mail domain.'),
  sign_in_too_old: error(403, 'The session started too long ago for this: sign in again.'),
  operator_only: error(403, 'Only an operator may do this.'),
  link_not_valid: error(410, 'The link is invalid, has expired or was already used.'),
  account_not_found: error(404, 'There is no such account.'),
  second_factor_not_found: error(404, 'The account has no one-time codes.'),
  passkey_not_found: error(404, 'There is no such passkey.'),
  provider_not_found: error(404, 'No identity provider is configured.'),
  identity_not_found: error(404, 'There is no such identity.'),
  session_not_found: error(404, 'There is no such session.'),
  token_not_found: error(404, 'There is no such access token.'),
  invitation_not_found: error(404, 'There is no such invitation.'),
  project_not_found: error(404, 'There is no such project, or it is not yours.'),
  member_not_found: error(404, 'The project has no such member.'),
  role_required: error(403, 'Your role in the project does not allow this.'),
  deploy_not_found: error(404, 'The project has no such deploy.'),
  preview_not_found: error(404, 'The project has no such preview.'),
  image_not_found: error(404, 'The site has no such image that was uploaded.'),
  domain_not_found: error(404, 'The project has no such domain.'),
  plan_required: error(403, 'The plan does not include this.'),
  deploy_required: error(409, 'The project has no successful deploy yet.'),
  domain_taken: error(409, 'The domain is already on one of your projects.'),
  key_not_found: error(404, 'There is no such API key, or it has been revoked.'),
  webhook_not_found: error(404, 'There is no such webhook.'),
  delivery_not_found: error(404, 'There is no delivery to resend.'),
  identity_taken: error(409, 'The identity is connected to another account.'),
  email_taken: error(409, 'Another account has this e-mail address.'),
  slug_taken: error(409, 'Another project has or had this slug.'),
  files_missing: error(409, 'Files of the deploy have not been uploaded.'),
  connect_unavailable: error(409, 'The DNS provider cannot set the records with one click now.'),
  limit_reached: error(409, 'The limit for this kind of record is reached.'),
  invalid_archive: error(400, 'The archive is damaged or contains unsupported entries.'),
  provider_unavailable: error(503, 'The identity provider does not answer as expected.'),
}

/** Errors that occur before a request reaches an API; not part of any OpenAPI document. */
export const edgeErrorCodes = {
  misdirected_request: error(421, 'The connection belongs to another host: open a new one.'),
}

export type ErrorCode = keyof typeof errorCodes
export type ManagementErrorCode = keyof typeof managementErrorCodes
type AnyErrorCode = ErrorCode | ManagementErrorCode | keyof typeof edgeErrorCodes

const allErrorCodes = { ...errorCodes, ...managementErrorCodes, ...edgeErrorCodes }

/** One problem of a 400: where it is and how to fix it. */
export interface Problem {
  path: string
  message: string
}

interface AppErrorOptions {
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
    return allErrorCodes[this.code].status
  }
}

export function rateLimited(message: string, retryInSeconds: number): AppError {
  return new AppError('rate_limited', message, { headers: { 'Retry-After': `${retryInSeconds}` } })
}

/** The database is temporarily unavailable, and nothing was changed: a 503 with Retry-After. */
export function unavailable(cause: unknown): AppError {
  const message =
    describeFullDisk(cause) ?? 'The service cannot reach its database. Try again in a moment.'
  return retryLater(message, 1, cause)
}

/** A 503 that says when to retry. Nothing was changed. */
export function retryLater(message: string, seconds = 1, cause?: unknown): AppError {
  return new AppError('unavailable', message, { cause, headers: { 'Retry-After': `${seconds}` } })
}

/** SQLITE_FULL, IOERR_WRITE, and IOERR_SHMSIZE for the index of a log (https://sqlite.org/rescode.html). */
const sqliteCodesOfFullDisk: unknown[] = [13, 778, 4874]

/** Undefined unless it is the error of a database whose disk is full. */
export function describeFullDisk(error: unknown): string | undefined {
  const { code, errcode } = (error ?? {}) as Record<string, unknown>
  const isOfServer = code === '53100'
  if (!isOfServer && !sqliteCodesOfFullDisk.includes(errcode)) return undefined
  return `The disk of ${isOfServer ? 'PostgreSQL' : 'DATA_DIR'} is full, or cannot be written. Free space on it, then try again.`
}

/**
 * A commit was sent, and the database did not confirm it: a 504 without Retry-After, because a repeated request might be
 * executed twice.
 */
export function outcomeUnknown(cause: unknown): AppError {
  const message =
    'It is unknown whether this was changed: the database did not confirm it in time. Check before you repeat the request, or repeat it with the same Idempotency-Key.'
  return new AppError('outcome_unknown', message, { cause })
}

/** Whether the database was away, whatever became of a change. */
export function isDatabaseOutage(error: unknown): boolean {
  return (
    error instanceof AppError && (error.code === 'unavailable' || error.code === 'outcome_unknown')
  )
}

/** Converts any thrown value to an error for clients; unknown errors reveal no internals. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const message = 'Something went wrong on our side. Quote the X-Request-Id when you report it.'
  return new AppError('internal_error', message, { cause: thrown })
}

/** The Error body of the specification: code, message, status, and details on a 400. */
export function errorBody(error: AppError): string {
  const { code, details, message, status } = error
  return JSON.stringify({ code, message, status, details })
}
