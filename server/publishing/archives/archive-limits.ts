// An uploaded archive while it is read, and the limits for archives and deploys.

export interface ArchiveLimits {
  files: number
  /** Entries of any kind, folders and what is passed over included. */
  entries: number
  /** Of all files together, uncompressed. */
  bytes: number
  /** Of one file, uncompressed. */
  fileBytes: number
}

export interface OpenArchive {
  /** Open for reading; never closed here. */
  fd: number
  /** Of the archive itself, in bytes. */
  size: number
  limits: ArchiveLimits
}
