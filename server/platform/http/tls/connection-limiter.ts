// Bounds how many may be under way, of one sender and in all. The oldest makes room for the newest: who is
// honest is done soon, and who only holds a place loses it.

export interface ConnectionLimiter {
  /** Enters one; `drop` is called when it has to make room. Call what it gives when it is done. */
  enter(who: string, drop: () => void): () => void
  readonly size: number
}

export function createConnectionLimiter(most: number, maxOfOne: number): ConnectionLimiter {
  const all = new Set<Place>()
  const bySender = new Map<string, Set<Place>>()

  interface Place {
    who: string
    drop: () => void
  }

  function leave(place: Place): void {
    if (!all.delete(place)) return
    const own = bySender.get(place.who)
    own?.delete(place)
    if (own?.size === 0) bySender.delete(place.who)
  }

  function dropOldest(places: Set<Place> | undefined, limit: number): void {
    if (!places || places.size < limit) return
    const [oldest] = places
    if (!oldest) return
    leave(oldest)
    oldest.drop()
  }

  return {
    enter(who, drop) {
      dropOldest(bySender.get(who), maxOfOne)
      dropOldest(all, most)
      const place = { who, drop }
      all.add(place)
      const own = bySender.get(who)
      if (own) own.add(place)
      else bySender.set(who, new Set([place]))
      return () => leave(place)
    },
    get size() {
      return all.size
    },
  }
}
