// The response headers of sites.
//
// Sites are untrusted content with scripts: HTML, SVG, XML. Each site has its own origin, which isolates it from the
// platform: the platform's cookies are never sent to it, and the platform's pages never trust it. Therefore content
// is not filtered. The headers ensure that a site cannot frame another site or share a process with it, and that
// browsers do not sniff media types. Their files never get Set-Cookie, nor Service-Worker-Allowed, which limits the scope
// of a service worker to its folder.
import type { ServerResponse } from 'node:http'
import type { ApiRequest } from '#kit/http/request/request-head.ts'

/** Headers of every response. Names and values alternate. */
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
  /** Sites that were not rendered by us may load any resources. */
  readyMade: "frame-ancestors 'self'",
  /** Rendered pages. Their Markdown may contain images from other sites. */
  rendered:
    "default-src 'self'; img-src 'self' data: https:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  /** Images that are documents, beside rendered pages. They run no scripts and load nothing. */
  image:
    "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox",
} as const

/** The policy of a rendered page, which may also connect to one other origin, if any. */
export function renderedPolicy(connectTo: string | undefined): string {
  if (connectTo === undefined) return policies.rendered
  return `${policies.rendered}; connect-src 'self' ${connectTo}`
}

export const revalidatedCaching = 'public, max-age=0, must-revalidate'
/** Of sites and previews that not everyone may see. */
export const notStored = 'private, no-store'
/** Of other previews. */
export const privateCaching = 'private, max-age=0, must-revalidate'
export const immutableCaching = 'public, max-age=31536000, immutable'

export function withId(headers: readonly string[], requestId: string): string[] {
  return [...headers, 'X-Request-Id', requestId]
}

const errorHeaders = [...commonHeaders, 'Content-Security-Policy', policies.readyMade]

/** `location` must be built with addressOf or be of a rule of the site, never from the raw target. */
export function redirect(
  request: ApiRequest,
  response: ServerResponse,
  location: string,
  status = 308,
  caching = revalidatedCaching,
): number {
  // The next deploy may change the target; by default browsers cache a 301 and a 308 permanently.
  const headers = ['Location', location, 'Cache-Control', caching, 'Content-Length', '0']
  return sendNothing(request, response, status, headers)
}

/** `headers` are alternating names and values. Returns the status. */
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
