// Limits concurrent connections, for each sender and in total. The oldest is dropped for the newest: normal clients
// finish soon, and those that only hold a connection lose it.

export function createConnectionLimiter(max: number, maxOfOne: number) {
  const all = new Set<Place>()
  const bySender = new Map<string, Set<Place>>()

  interface Place {
    sender: string
    drop: () => void
  }

  function leave(place: Place): void {
    if (!all.delete(place)) return
    const own = bySender.get(place.sender)
    own?.delete(place)
    if (own?.size === 0) bySender.delete(place.sender)
  }

  function dropOldest(places: Set<Place> | undefined, limit: number): void {
    if (!places || places.size < limit) return
    const [oldest] = places
    if (!oldest) return
    leave(oldest)
    oldest.drop()
  }

  return {
    /** `drop` is called if it must make room. Returns a function to call when it is done. */
    enter(sender: string, drop: () => void) {
      dropOldest(bySender.get(sender), maxOfOne)
      dropOldest(all, max)
      const place = { sender, drop }
      all.add(place)
      const own = bySender.get(sender)
      if (own) own.add(place)
      else bySender.set(sender, new Set([place]))
      return () => leave(place)
    },
    get size() {
      return all.size
    },
  }
}
