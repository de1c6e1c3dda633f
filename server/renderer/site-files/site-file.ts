// A file of a documentation project, before or after rendering.

export interface SiteFile {
  /**
   * Relative to the root of the site, in canonical form: segments in NFC joined by `/`, none of them empty, `.` or
   * `..`, without control characters and backslashes.
   */
  path: string
  bytes: Uint8Array
  /** The origin to which the page may connect, apart from its own. */
  connectTo?: string
}

const encoder = new TextEncoder()

export function textFile(path: string, text: string): SiteFile {
  return { path, bytes: encoder.encode(text) }
}
