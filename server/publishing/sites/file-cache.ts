// The files of sites that are remembered, together no larger than a bound. What was isUsed since it was
// last looked at gets a second chance before it goes: as good as least-recently-used, and a hit costs no
// more than setting a flag.

export interface CachedFile {
  /** To be set at each use but the first, so that what is isUsed once makes way for what is isUsed often. */
  isUsed: boolean
  /** What it takes, bookkeeping included; the shelf's alone to change. */
  bytes: number
  /** Makes it forgotten. Called by the cache, once. */
  drop(): void
}

export interface FileCache {
  readonly bytes: number
  /** Puts it on the cache, and drops others where the room is needed. */
  put(entry: CachedFile, bytes: number): void
  /** It takes so many bytes more. False when it is not on the cache, or no longer. */
  grow(entry: CachedFile, bytes: number): boolean
}

export function createFileCache(maxBytes: number): FileCache {
  // In the order in which they are looked at.
  const all = new Set<CachedFile>()
  let bytes = 0

  function makeRoom(): void {
    for (const entry of all) {
      if (bytes <= maxBytes) return
      all.delete(entry)
      if (entry.isUsed) {
        entry.isUsed = false
        all.add(entry)
      } else {
        bytes -= entry.bytes
        entry.bytes = 0
        entry.drop()
      }
    }
  }

  return {
    get bytes() {
      return bytes
    },
    put(entry, itsBytes) {
      entry.bytes = itsBytes
      bytes += itsBytes
      all.add(entry)
      makeRoom()
    },
    grow(entry, more) {
      if (!all.has(entry)) return false
      entry.bytes += more
      bytes += more
      makeRoom()
      return all.has(entry)
    },
  }
}
