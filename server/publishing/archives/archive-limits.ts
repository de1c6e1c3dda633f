// What an archive, and so a deploy, may have at most.

export interface ArchiveLimits {
  files: number
  /** Entries of any kind, folders and what is passed over included. */
  entries: number
  /** Of all files together, uncompressed. */
  bytes: number
  /** Of one file, uncompressed. */
  fileBytes: number
}
