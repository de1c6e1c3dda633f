// Limits concurrent connections, for each sender and in total. The oldest idle one is dropped for the newest: normal
// clients open another one, and those that only hold a connection lose it.

/** Busy connections that are passed over for each new one; they are looked at again after all others. */
const maxPassedOver = 32

interface Place {
  sender: string | undefined
  drop: () => void
  isIdle: () => boolean
}

const always = (): boolean => true

/** At most `max` connections, and `maxOfOne` of each sender. */
export function createConnectionLimiter(max: number, maxOfOne: number) {
  // Oldest first, apart from those that were passed over.
  const all = new Set<Place>()
  const bySender = new Map<string, Set<Place>>()

  function leave(place: Place): void {
    if (!all.delete(place) || place.sender === undefined) return
    const own = bySender.get(place.sender)
    own?.delete(place)
    if (own?.size === 0) bySender.delete(place.sender)
  }

  /** False if all that were looked at are busy. */
  function makeRoom(places: Set<Place> | undefined, limit: number): boolean {
    if (!places || places.size < limit) return true
    let passedOver = 0
    for (const place of places) {
      if (place.isIdle()) {
        leave(place)
        place.drop()
        return true
      }
      if (++passedOver === maxPassedOver) break
      places.delete(place)
      places.add(place)
    }
    return false
  }

  return {
    /**
     * Adds a connection; a sender that is undefined has no limit of its own. `drop` is called if it must make room
     * while it is idle. Returns a function to call when it is closed, or undefined if there is no room.
     */
    enter(sender: string | undefined, drop: () => void, isIdle = always) {
      const own = sender === undefined ? undefined : bySender.get(sender)
      if (!makeRoom(own, maxOfOne) || !makeRoom(all, max)) return undefined
      const place = { sender, drop, isIdle }
      all.add(place)
      if (sender === undefined) return () => leave(place)
      const places = bySender.get(sender)
      if (places) places.add(place)
      else bySender.set(sender, new Set([place]))
      return () => leave(place)
    },
    get size() {
      return all.size
    },
  }
}
