// Forms that a host's own page sends, and where they lead.
import type { ServerResponse } from 'node:http'
import type { ApiRequest } from '#kit/http/request/request-head.ts'
import { sendNothing } from '#publishing/sites/response-headers.ts'
import { addressOf, readTarget } from '#renderer/site-files/requested-path.ts'

/** A form of this host's own page, as far as the browser says where it came from. */
export function isOwnForm({ head: { origin }, headers }: ApiRequest): boolean {
  const [type] = String(headers['content-type'] ?? '').split(';', 1)
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return false
  return origin === undefined || URL.parse(origin)?.host === headers.host?.toLowerCase()
}

/** The page that was asked for, never at another host. */
export function ownAddress(target: string): string {
  const read = readTarget(target)
  return typeof read === 'string' ? '/' : addressOf(read.path) + read.query
}

/** `location` is an own address, or the dashboard. Returns the status. */
export function goTo(
  request: ApiRequest,
  response: ServerResponse,
  location: string,
  cookies: string[],
): number {
  return sendNothing(request, response, 303, [
    ...['Location', location],
    ...cookies.flatMap((cookie) => ['Set-Cookie', cookie]),
    ...['Cache-Control', 'no-store', 'Content-Length', '0'],
  ])
}
