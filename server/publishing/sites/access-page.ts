// Sends the pages that ask visitors of a site to show that they may see it. Programs get JSON.
import type { ServerResponse } from 'node:http'
import { AppError } from '#kit/errors.ts'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { sendError } from '#kit/http/response/send-response.ts'
import { type PlainPage, prefersJson, sendPage } from './site-error.ts'

interface AccessPage extends PlainPage {
  /** For programs; plain ASCII. */
  message: string
  headers?: Record<string, string>
}

/** Of sites, which site tokens open (RFC 6750, section 3). */
export const tokenChallenge = { 'WWW-Authenticate': 'Bearer realm="site"' }

/** Returns the status. */
export function sendAccessPage(
  request: ApiRequest,
  response: ServerResponse,
  { headers: own = {}, message, ...page }: AccessPage,
): number {
  const headers = { Vary: 'Accept', ...own }
  if (!prefersJson(request.head.accept)) return sendPage(request, response, page, headers)
  const error =
    page.status === 429
      ? new AppError('rate_limited', message, { headers })
      : new AppError('not_signed_in', message, { headers })
  sendError(request, response, error)
  return error.status
}
