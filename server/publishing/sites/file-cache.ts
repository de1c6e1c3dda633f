// A cache for the files of sites with a maximum total size. Uses the second-chance algorithm (CLOCK): similar to
// least recently used, but a hit only sets a flag.

export interface CachedFile {
  /** Set at each use except the first, so that files used once are evicted before files used often. */
  isUsed: boolean
  /** Memory of the entry, including overhead. Changed only by the cache. */
  bytes: number
  /** Releases the entry. Called once, by the cache. */
  drop(): void
}

export type FileCache = ReturnType<typeof createFileCache>

export function createFileCache(maxBytes: number) {
  // In the order of eviction.
  const all = new Set<CachedFile>()
  let bytes = 0

  function drop(entry: CachedFile): void {
    bytes -= entry.bytes
    entry.bytes = 0
    entry.drop()
  }

  function makeRoom(): void {
    for (const entry of all) {
      if (bytes <= maxBytes) return
      all.delete(entry)
      if (entry.isUsed) {
        entry.isUsed = false
        all.add(entry)
      } else {
        drop(entry)
      }
    }
  }

  return {
    get bytes() {
      return bytes
    },
    /** Adds an entry and evicts others if the cache is full. */
    put(entry: CachedFile, entryBytes: number): void {
      entry.bytes = entryBytes
      bytes += entryBytes
      all.add(entry)
      makeRoom()
    },
    /** Without effect if the entry is not in the cache. */
    remove(entry: CachedFile): void {
      if (all.delete(entry)) drop(entry)
    },
    /** Adds to the size of an entry. Returns false if the entry is not in the cache. */
    grow(entry: CachedFile, more: number): boolean {
      if (!all.has(entry)) return false
      entry.bytes += more
      bytes += more
      makeRoom()
      return all.has(entry)
    },
  }
}
