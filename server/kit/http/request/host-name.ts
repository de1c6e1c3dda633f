// The host that a request names: a domain name or an address, never longer than a domain name can be, so that a cache by
// host is bounded in bytes.
import { isIPv6 } from 'node:net'

/** Of a domain name (RFC 1035, section 2.3.4), in characters without the dot at its end. */
export const maxHostLength = 253
/** A host with the dot at its end, a colon and a port. */
const maxAuthorityLength = maxHostLength + 7

const nameForm = /^[a-z0-9._-]*$/
const portForm = /^(?::\d{0,5})?$/

/**
 * The host of a Host field or an authority (RFC 9112, section 3.2): lower case, without port and trailing dot. Empty
 * if the field is empty. Undefined if it is neither a name of at most 253 characters nor an IP literal.
 */
export function hostName(authority: string): string | undefined {
  if (authority.length > maxAuthorityLength) return undefined
  const isLiteral = authority.startsWith('[')
  const end = isLiteral ? authority.indexOf(']') + 1 : authority.indexOf(':')
  const host = end > 0 ? authority.slice(0, end) : authority
  if (end > 0 && end < authority.length && !portForm.test(authority.slice(end))) return undefined
  const lower = host.toLowerCase()
  if (isLiteral) return end > 0 && isIPv6(lower.slice(1, -1)) ? lower : undefined
  if (!nameForm.test(lower)) return undefined
  const name = lower.endsWith('.') ? lower.slice(0, -1) : lower
  return name.length <= maxHostLength ? name : undefined
}
