// Requests that a page of another site made a browser send are refused.

import { AppError } from '../errors.ts'
import type { ApiRequest } from '../http/request/request-head.ts'
import { isSecureAtProxy } from '../network/addresses.ts'

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
