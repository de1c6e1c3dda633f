// Detects the format of an archive by its first bytes. File names and media types are not trusted.

export type ArchiveForm = 'zip' | 'tar.gz'

/** Needs the first 4 bytes; undefined for an unsupported format. The content of a gzip file is not checked here. */
export function archiveForm(firstBytes: Uint8Array): ArchiveForm | undefined {
  const [a, b, c, d] = firstBytes
  if (a === 0x1f && b === 0x8b && c === 8) return 'tar.gz'
  // The first entry, or the end of an archive without entries (APPNOTE 4.3.7, 4.3.16).
  if (a === 0x50 && b === 0x4b && ((c === 3 && d === 4) || (c === 5 && d === 6))) return 'zip'
  return undefined
}
