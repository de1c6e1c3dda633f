// Leads from plain HTTP to HTTPS, on the same host, and has browsers remember the way (RFC 6797).

import type { Handler } from '../../platform/http/listener/intake.ts'
import { sendOnce } from '../../platform/http/response/send-response.ts'
import { targetOf } from './redirect-to-host.ts'

/** To the same host, path and query on `httpsPort`, the port by which clients know it. */
export function redirectToHttps(httpsPort: number): Handler {
  const port = httpsPort === 443 ? '' : `:${httpsPort}`
  return (request, response) => {
    const { head, method, url } = request
    // 301 is what every client follows. It allows a POST to become a GET; 308 does not, and keeps the body.
    const status = method === 'GET' || method === 'HEAD' ? 301 : 308
    const headers = [
      'Location',
      `https://${head.host}${port}${targetOf(url as string)}`,
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
 * On every answer that goes over TLS, and on none that does not (section 7.2). Only for hosts that keep their
 * certificate: for so long no browser goes back to plain HTTP.
 */
export const strictTransport = ['Strict-Transport-Security', `max-age=${30 * 24 * 60 * 60}`]
