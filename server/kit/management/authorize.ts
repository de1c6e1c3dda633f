// Who may call an operation of the management API, by what its declaration says: access, scope, deploy tokens. Whether the
// caller's account may touch a project is decided where the project is read (publishing/projects/).
import { AppError } from '../errors.ts'
import type { ApiRequest } from '../http/request/request-head.ts'
import { isSecureAtProxy } from '../network/addresses.ts'
import type { Caller } from './caller.ts'
import type { Operation } from './route.ts'
import { deployScope } from './token-scopes.ts'

/** Throws the 401 or 403 that keeps the caller from the operation. */
export function authorize(operation: Operation, caller: Caller | undefined): void {
  const { access, isForEnrolment } = operation
  if (access === 'open') return
  if (!caller) {
    throw new AppError(
      'not_signed_in',
      'Sign in, or send an access token as "Authorization: Bearer <TOKEN>".',
      { headers: { 'WWW-Authenticate': 'Bearer realm="animal-store management"' } },
    )
  }
  if (caller.by.kind === 'token') authorizeToken(operation, caller.by)
  if (caller.by.kind === 'session' && caller.by.isRestricted && !isForEnrolment) {
    const message = 'Add a passkey or an authenticator app under Account first.'
    throw new AppError('second_factor_missing', message)
  }
  if (access === 'operator' && caller.account.role !== 'operator')
    throw new AppError('operator_only', 'Only an operator may do this.')
}

function authorizeToken(
  { isForDeployTokens, scope }: Operation,
  { projectId, scopes }: Extract<Caller['by'], { kind: 'token' }>,
): void {
  const isDeployToken = projectId !== undefined || scopes.has(deployScope)
  const isAllowed = isDeployToken
    ? isForDeployTokens && projectId !== undefined && scopes.has(deployScope)
    : scope && scopes.has(scope)
  if (isAllowed) return
  const message = !scope
    ? 'Access tokens cannot do this. Sign in.'
    : isDeployToken
      ? `This deploy token lacks the scope ${scope}: it can only deploy to its project, manage its previews and read both.`
      : `This access token lacks the scope ${scope}.`
  throw new AppError('insufficient_scope', message)
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Throws `cross_site_request` for a request that a page of another site made a browser send: a session's cookie is
 * sent with it whether its owner intended the request or not. Requests with an access token are not affected.
 * A page cannot set Sec-Fetch-Site (Fetch Metadata) and Origin (RFC 6454). `dashboard` is the dashboard's origin.
 */
export function refuseCrossSite(request: ApiRequest, dashboard: string): void {
  const { headers, method = '' } = request
  if (headers.authorization !== undefined) return
  const { cookie, origin, 'sec-fetch-site': site } = headers
  const isSafe = safeMethods.has(method)
  // `none` is direct navigation: a typed address or a bookmark. It only reads.
  if (site !== undefined && site !== 'same-origin' && !(isSafe && site === 'none')) throw refusal()
  if (origin !== undefined && origin !== dashboard && origin !== requestedOrigin(request))
    throw refusal()
  // Current browsers send at least one of the two with every request of a page that is not safe.
  if (!isSafe && cookie !== undefined && site === undefined && origin === undefined) throw refusal()
}

/** The origin of the requested address itself: the dashboard called by another of its names, such as a loopback address. */
function requestedOrigin(request: ApiRequest): string | undefined {
  const { host } = request.headers
  const scheme = request.isSecure || isSecureAtProxy(request) ? 'https' : 'http'
  return host === undefined ? undefined : URL.parse(`${scheme}://${host}`)?.origin
}

function refusal(): AppError {
  return new AppError(
    'cross_site_request',
    'This request came from a page of another site. Use the dashboard itself, or an access token.',
  )
}
