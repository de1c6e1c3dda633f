// Tells search engines by which address a page wants to be known (RFC 6596), for sites with several hosts.
import { addressOf, readTarget } from '../sites/requested-path.ts'

/** A Link field, as name and value; empty where the target is no page's. `origin` has no slash at the end. */
export function canonicalLink(target: string, origin: string): string[] {
  const read = readTarget(target)
  if (typeof read === 'string') return []
  return ['Link', `<${origin}${addressOf(read.path)}>; rel="canonical"`]
}
