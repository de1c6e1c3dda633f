// Requests that a page of another site made a browser send are refused: a session's cookie goes with them
// whether its owner intended the request or not. Requests with an access token are not affected.
import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../errors.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Throws `cross_site_request`. Looks at Sec-Fetch-Site (Fetch Metadata) and Origin (RFC 6454): what a
 * browser says there cannot be set by a page. `dashboard` is the origin of the dashboard.
 */
export function refuseCrossSite(
  method: string,
  headers: IncomingHttpHeaders,
  dashboard: string,
): void {
  if (headers.authorization !== undefined) return
  const { cookie, host, origin, 'sec-fetch-site': site } = headers
  const isSafe = safeMethods.has(method)
  // `none` is direct navigation: a typed address or a bookmark. It only reads.
  if (site !== undefined && site !== 'same-origin' && !(isSafe && site === 'none')) throw refusal()
  if (origin !== undefined && origin !== dashboard && !isOriginOf(origin, host)) throw refusal()
  // Every browser of these years says one of the two when a page sends something.
  if (!isSafe && cookie !== undefined && site === undefined && origin === undefined) throw refusal()
}

/** The dashboard called by another of its names, such as a loopback address. */
function isOriginOf(origin: string, host: string | undefined): boolean {
  return host !== undefined && URL.parse(origin)?.host === host.toLowerCase()
}

function refusal(): AppError {
  return new AppError(
    'cross_site_request',
    'This request came from a page of another site. Use the dashboard itself, or an access token.',
  )
}
