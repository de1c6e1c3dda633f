// A file of a site made from text.
import type { SiteFile } from '../../site-files/site-file.ts'

const encoder = new TextEncoder()

export function textFile(path: string, text: string): SiteFile {
  return { path, bytes: encoder.encode(text) }
}
