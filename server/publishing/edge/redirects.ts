// Leads from one host of a project to another, with path and query kept.

import type { ServerResponse } from 'node:http'
import type { Handler } from '../../platform/http/listener/intake.ts'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'
import { sendOnce } from '../../platform/http/response/send-response.ts'
import type { RedirectStatus } from '../domains/database/domain-row.ts'
import { changing } from '../sites/answer-headers.ts'
import { sendNothing } from '../sites/send-nothing.ts'

/** `origin` has no slash at the end. Gives the status. */
export function redirectToHost(
  request: ApiRequest,
  response: ServerResponse,
  origin: string,
  status: RedirectStatus,
): number {
  // Kept for ever otherwise, also past the day on which the owner chooses another one.
  const kept = ['Cache-Control', changing, 'Content-Length', '0']
  return sendNothing(request, response, status, [
    'Location',
    origin + targetOf(request.url as string),
    ...kept,
  ])
}

/** The target as it may stand in a field: what is no visible ASCII is percent-encoded, byte by byte. */
export function targetOf(url: string): string {
  return url.replace(/[^\x21-\x7e]/g, (char) => {
    const code = char.charCodeAt(0)
    return code > 0xff ? '%3F' : `%${code.toString(16).toUpperCase().padStart(2, '0')}`
  })
}

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
