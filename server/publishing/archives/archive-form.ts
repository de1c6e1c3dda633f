// Which archive a file is, by its first bytes: names and media types are claims.

export type ArchiveForm = 'zip' | 'tar.gz'

/** Wants the first 4 bytes; undefined for what is no archive we read. A gzip may hold anything yet. */
export function archiveForm(firstBytes: Uint8Array): ArchiveForm | undefined {
  const [a, b, c, d] = firstBytes
  if (a === 0x1f && b === 0x8b && c === 8) return 'tar.gz'
  // A first entry, or the end of an archive without one (APPNOTE 4.3.7, 4.3.16).
  if (a === 0x50 && b === 0x4b && ((c === 3 && d === 4) || (c === 5 && d === 6))) return 'zip'
  return undefined
}
