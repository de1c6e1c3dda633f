// From a request's target to the path of a file, and back to an address. Decoded once and strictly; a
// Location is made only of what addressOf gives, so that no input can lead to another host.

export interface RequestedPath {
  /** In NFC, without the first slash: `guides/first`, `guides/` or, for the front page, the empty string. */
  path: string
  /** With its question mark, as it was sent; empty without one. */
  query: string
}

/** What no published file can exceed (archives/canonical-path.ts). */
const maxPathBytes = 1024

/**
 * Reads a target in origin form. `malformed`: not percent-encoded UTF-8. `nowhere`: well-formed, but the
 * path of no file that could have been published.
 */
export function readTarget(target: string): RequestedPath | 'malformed' | 'nowhere' {
  const end = target.search(/[?#]/)
  const raw = end < 0 ? target : target.slice(0, end)
  const query = end < 0 || target[end] === '#' ? '' : (target.slice(end).split('#', 1)[0] as string)
  // Bytes beyond ASCII have to be encoded (RFC 3986, section 2); unencoded, their encoding is not known.
  if (/[^\x21-\x7e]/.test(raw)) return 'malformed'
  let decoded: string
  try {
    decoded = decodeURIComponent(raw)
  } catch {
    return 'malformed'
  }
  // An encoded slash is no separator, and no name has one.
  if (/%2f/i.test(raw)) return 'nowhere'
  const path = decoded.slice(1).normalize('NFC')
  return isPath(path) ? { path, query } : 'nowhere'
}

function isPath(path: string): boolean {
  if (Buffer.byteLength(path) > maxPathBytes || /[\p{Cc}\\]/u.test(path)) return false
  const segments = path.split('/')
  // A slash at the end asks for a folder.
  if (segments.at(-1) === '') segments.pop()
  return segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..')
}

/**
 * The address of a path, with one slash in front: the one form in which it is asked for most, and under
 * which it is remembered. Encodes what browsers encode.
 */
export function addressOf(path: string): string {
  return `/${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`
}
