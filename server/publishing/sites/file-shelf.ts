// The files of sites that are remembered, together no larger than a bound. What was wanted since it was
// last looked at gets a second chance before it goes: as good as least-recently-used, and a hit costs no
// more than setting a flag.

export interface Shelved {
  /** To be set at each use but the first, so that what is wanted once makes way for what is wanted often. */
  wanted: boolean
  /** What it takes, bookkeeping included; the shelf's alone to change. */
  bytes: number
  /** Makes it forgotten. Called by the shelf, once. */
  drop(): void
}

export interface Shelf {
  readonly bytes: number
  /** Puts it on the shelf, and drops others where the room is needed. */
  put(shelved: Shelved, bytes: number): void
  /** It takes so many bytes more. False when it is not on the shelf, or no longer. */
  grow(shelved: Shelved, bytes: number): boolean
}

export function createShelf(maxBytes: number): Shelf {
  // In the order in which they are looked at.
  const all = new Set<Shelved>()
  let bytes = 0

  function makeRoom(): void {
    for (const shelved of all) {
      if (bytes <= maxBytes) return
      all.delete(shelved)
      if (shelved.wanted) {
        shelved.wanted = false
        all.add(shelved)
      } else {
        bytes -= shelved.bytes
        shelved.bytes = 0
        shelved.drop()
      }
    }
  }

  return {
    get bytes() {
      return bytes
    },
    put(shelved, itsBytes) {
      shelved.bytes = itsBytes
      bytes += itsBytes
      all.add(shelved)
      makeRoom()
    },
    grow(shelved, more) {
      if (!all.has(shelved)) return false
      shelved.bytes += more
      bytes += more
      makeRoom()
      return all.has(shelved)
    },
  }
}
