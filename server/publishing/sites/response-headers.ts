// The fields that every answer of a site carries, and those of its documents.
//
// A site is somebody else's content, scripts and all: HTML, SVG, XML. It is harmless to us because it has
// an origin of its own: no cookie of ours is ever sent there, no page of ours trusts it, and what it may
// do to its own visitors is between them. So nothing is filtered here; what is kept up is that one site
// cannot frame another or share a process with it, and that no file is taken for another type.
// There is never a Set-Cookie, and no Service-Worker-Allowed: a worker's scope stays its own folder.
import type { ServerResponse } from 'node:http'
import type { ApiRequest } from '../../platform/http/request/request-head.ts'

/** Names and values in turn. */
export const commonHeaders: readonly string[] = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Origin-Agent-Cluster',
  '?1',
  'X-Frame-Options',
  'SAMEORIGIN',
]

export const policies = {
  /** What somebody made elsewhere loads what it likes. */
  readyMade: "frame-ancestors 'self'",
  /** Pages that we rendered. Their Markdown may show pictures of others. */
  rendered:
    "default-src 'self'; img-src 'self' data: https:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
} as const

export const revalidatedCaching = 'public, max-age=0, must-revalidate'
export const immutableCaching = 'public, max-age=31536000, immutable'

/**
 * Appends a place for the request's id to fields that are made once and sent often. `withId` fills it:
 * writeHead has read the array when it returns, so that one array serves all requests.
 */
export function withIdSlot(headers: readonly string[]): string[] {
  return [...headers, 'X-Request-Id', '']
}

export function withId(headers: string[], requestId: string): string[] {
  headers[headers.length - 1] = requestId
  return headers
}

const errorHeaders = [...commonHeaders, 'Content-Security-Policy', policies.readyMade]

/** Leads elsewhere, for now. `location` is made of what addressOf gives, never of what was asked. */
export function redirect(request: ApiRequest, response: ServerResponse, location: string): number {
  // Where things are may change with the next deploy, and without this a 308 may be kept for ever.
  const headers = ['Location', location, 'Cache-Control', revalidatedCaching, 'Content-Length', '0']
  return sendNothing(request, response, 308, headers)
}

/** `headers` are names and values in turn. Gives the status. */
export function sendNothing(
  { head }: ApiRequest,
  response: ServerResponse,
  status: number,
  headers: string[],
): number {
  response.writeHead(status, [...headers, ...errorHeaders, 'X-Request-Id', head.requestId])
  response.end()
  return status
}
