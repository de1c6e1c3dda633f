// Sends the pages that ask visitors of a site to show that they may see it. Programs get JSON.
import type { ServerResponse } from 'node:http'
import { AppError } from '#kit/errors.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { sendError } from '#kit/http/response/send-response.ts'
import { plainPage, plainPagePolicy } from './plain-page.ts'
import { commonHeaders } from './response-headers.ts'
import { prefersJson } from './site-error.ts'

interface AccessPage {
  status: number
  /** Title and message are plain ASCII without markup. */
  title: string
  /** For programs. */
  message: string
  /** Sources of the content security policy. */
  formAction: string
  /** HTML in ASCII. */
  body: string
  headers?: Record<string, string>
}

/** Of sites, which site tokens open (RFC 6750, section 3). */
export const tokenChallenge = { 'WWW-Authenticate': 'Bearer realm="site"' }

/** Returns the status. */
export function sendAccessPage(
  request: ApiRequest,
  response: ServerResponse,
  { body, formAction, headers = {}, message, status, title }: AccessPage,
): number {
  if (prefersJson(request.head.accept)) {
    const options = { headers: { ...headers, Vary: 'Accept' } }
    const error =
      status === 429
        ? new AppError('rate_limited', message, options)
        : new AppError('not_signed_in', message, options)
    sendError(request, response, error)
    return error.status
  }
  const page = plainPage(title, body)
  response.writeHead(status, [
    ...['Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-store'],
    ...['Vary', 'Accept', 'Content-Length', `${page.length}`],
    ...Object.entries(headers).flat(),
    ...['Content-Security-Policy', plainPagePolicy(formAction), ...commonHeaders],
    ...['X-Request-Id', request.head.requestId],
  ])
  response.end(request.method === 'HEAD' ? undefined : page)
  return status
}
