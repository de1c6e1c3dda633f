// Converts the target of a request to the path of a file and back. Targets are decoded once and strictly. Location
// headers are built only with addressOf, so that no input can redirect to another host.

interface RequestedPath {
  /** In NFC, without the first slash: `guides/first`, `guides/` or, for the home page, the empty string. */
  path: string
  /** With its question mark, as sent; empty if there is none. */
  query: string
}

/** The limit for published files (site-files/canonical-path.ts). */
const maxPathBytes = 1024

/**
 * Parses a target in origin form. `malformed`: not percent-encoded UTF-8. `nowhere`: well-formed, but not a path
 * that a published file can have.
 */
export function readTarget(target: string): RequestedPath | 'malformed' | 'nowhere' {
  const end = target.search(/[?#]/)
  const raw = end < 0 ? target : target.slice(0, end)
  const query = end < 0 || target[end] === '#' ? '' : (target.slice(end).split('#', 1)[0] as string)
  // Non-ASCII bytes must be percent-encoded (RFC 3986, section 2); otherwise their character encoding is unknown.
  if (/[^\x21-\x7e]/.test(raw)) return 'malformed'
  let decoded: string
  try {
    decoded = decodeURIComponent(raw)
  } catch {
    return 'malformed'
  }
  // An encoded slash is not a separator, and file names cannot contain one.
  if (/%2f/i.test(raw)) return 'nowhere'
  const path = decoded.slice(1).normalize('NFC')
  return isPath(path) ? { path, query } : 'nowhere'
}

function isPath(path: string): boolean {
  if (Buffer.byteLength(path) > maxPathBytes || /[\p{Cc}\\]/u.test(path)) return false
  const segments = path.split('/')
  // A slash at the end requests a folder.
  if (segments.at(-1) === '') segments.pop()
  return segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..')
}

/**
 * The address of a path, with one slash at the start, encoded as browsers encode it. Files are cached by this form,
 * which most requests use.
 */
export function addressOf(path: string): string {
  return `/${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`
}
