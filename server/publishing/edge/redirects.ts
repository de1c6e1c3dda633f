// Redirects between hosts of a project, and from HTTP to HTTPS, with path and query kept. HTTPS hosts send
// Strict-Transport-Security (RFC 6797).

import type { ServerResponse } from 'node:http'
import type { Handler } from '../../platform/http/listener/intake.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import { sendOnce } from '../../platform/http/response/send-response.ts'
import type { RedirectStatus } from '../domains/database/domain-row.ts'
import { revalidatedCaching, sendNothing } from '../sites/response-headers.ts'

/** `origin` has no trailing slash. Returns the status. */
export function redirectToHost(
  request: ApiRequest,
  response: ServerResponse,
  origin: string,
  status: RedirectStatus,
): number {
  // Otherwise clients cache it permanently, even after the owner changes the target.
  const location = origin + targetOf(request.url as string)
  const headers = ['Location', location, 'Cache-Control', revalidatedCaching, 'Content-Length', '0']
  return sendNothing(request, response, status, headers)
}

/** The target as a header value: bytes other than visible ASCII are percent-encoded. */
function targetOf(url: string): string {
  return url.replace(/[^\x21-\x7e]/g, (char) => {
    const code = char.charCodeAt(0)
    return code > 0xff ? '%3F' : `%${code.toString(16).toUpperCase().padStart(2, '0')}`
  })
}

/** To the same host, path and query on `httpsPort`, the port that clients use. */
export function redirectToHttps(httpsPort: number): Handler {
  const port = httpsPort === 443 ? '' : `:${httpsPort}`
  return (request, response) => {
    const { head, method, url } = request
    // Every client follows 301, but may change POST to GET; 308 keeps method and body.
    const status = method === 'GET' || method === 'HEAD' ? 301 : 308
    const location = `https://${head.host}${port}${targetOf(url as string)}`
    // Otherwise clients cache it permanently, even after the host loses its certificate.
    const caching = ['Cache-Control', revalidatedCaching]
    const headers = ['Location', location, ...caching, 'Content-Length', '0']
    sendOnce(request, response, status, headers, undefined)
  }
}

/**
 * Sent on every response over TLS and on no other (section 7.2). Only for hosts that keep their certificate: browsers
 * refuse plain HTTP for this long.
 */
export const strictTransport = ['Strict-Transport-Security', `max-age=${30 * 24 * 60 * 60}`]
