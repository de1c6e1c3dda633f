// An uploaded archive that is being read, and the limits of archives and deploys.

export interface ArchiveLimits {
  files: number
  /** Entries of any kind, including folders and ignored files. */
  entries: number
  /** Total size of all files, uncompressed. */
  bytes: number
  /** Size of one file, uncompressed. */
  fileBytes: number
}

export interface OpenArchive {
  /** Open for reading; the caller closes it. */
  fd: number
  /** Size of the archive itself, in bytes. */
  size: number
  limits: ArchiveLimits
}
