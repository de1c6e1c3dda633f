// A file of a documentation project, before and after it is rendered.

export interface SiteFile {
  /**
   * Where it lies, relative to the root of the site, in canonical form: segments in Unicode's NFC joined
   * by `/`, none of them empty, `.` or `..`; no control character, no backslash.
   */
  path: string
  bytes: Uint8Array
}

const encoder = new TextEncoder()

export function textFile(path: string, text: string): SiteFile {
  return { path, bytes: encoder.encode(text) }
}
