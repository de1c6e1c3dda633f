// An uploaded archive, while it is read.

import type { ArchiveLimits } from './archive-limits.ts'

export interface OpenArchive {
  /** Open for reading; never closed here. */
  fd: number
  /** Of the archive itself, in bytes. */
  size: number
  limits: ArchiveLimits
}
