// Leads from plain HTTP to HTTPS, on the same host, and has browsers remember the way (RFC 6797).
import { sendOnce } from '../../platform/http/answer.ts'
import type { Handler } from '../../platform/http/intake.ts'

/** To the same host, path and query on `httpsPort`, the port by which clients know it. */
export function redirectToHttps(httpsPort: number): Handler {
  const port = httpsPort === 443 ? '' : `:${httpsPort}`
  return (request, response) => {
    const { head, method, url } = request
    // 301 is what every client follows. It allows a POST to become a GET; 308 does not, and keeps the body.
    const status = method === 'GET' || method === 'HEAD' ? 301 : 308
    const headers = [
      'Location',
      `https://${head.host}${port}${url}`,
      // Kept for ever otherwise, also past the day on which the host has no certificate any more.
      'Cache-Control',
      'public, max-age=0, must-revalidate',
      'Content-Length',
      '0',
    ]
    sendOnce(request, response, status, headers, undefined)
  }
}

/**
 * The handler, with Strict-Transport-Security on every answer that goes over TLS, whoever makes it. Only for
 * hosts that keep their certificate: for so long no browser goes back to plain HTTP.
 */
export function withStrictTransport(handler: Handler, maxAgeSeconds: number): Handler {
  const headers = ['Strict-Transport-Security', `max-age=${maxAgeSeconds}`]
  return (request, response) => {
    // Over plain HTTP it must not be sent (section 7.2).
    if (request.isSecure) request.fixedHeaders = headers
    handler(request, response)
  }
}
