// The site that a visitor came from: the host that Referer names, and nothing else of it.
import { hostName } from '#kit/http/request/host-name.ts'
import type { RequestHead } from '#kit/http/request/request-head.ts'

/** Labels of letters, digits and hyphens. The last one begins with a letter, which those of IP addresses do not. */
const domainForm = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * A domain name without `www.` and port; empty if the request names no source. Undefined within the site, and for
 * what is no address of a site at a domain name.
 */
export function readSource({
  host,
  isSameOrigin,
  referer = '',
}: Pick<RequestHead, 'host' | 'isSameOrigin' | 'referer'>): string | undefined {
  // Pages may ask browsers not to send Referer, also within their site.
  if (referer === '') return isSameOrigin ? undefined : ''
  const start = referer.startsWith('https://') ? 8 : referer.startsWith('http://') ? 7 : undefined
  if (start === undefined) return undefined
  const end = referer.indexOf('/', start)
  const source = hostName(end < 0 ? referer.slice(start) : referer.slice(start, end))
  if (source === undefined || source === host || !domainForm.test(source)) return undefined
  return source.startsWith('www.') && source.includes('.', 4) ? source.slice(4) : source
}
