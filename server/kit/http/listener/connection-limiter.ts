// Limits concurrent connections, for each sender and in total. The oldest idle one is dropped for the newest: normal
// clients open another one, and those that only hold a connection lose it.

/** Busy connections that are passed over for each new one; they are looked at again after all others. */
const maxPassedOver = 32

/** An open connection. */
export interface Limited {
  /** Without one it has no limit of its own. */
  readonly sender: string | undefined
  /** Called if it must make room while it is idle. */
  drop(): void
  isIdle(): boolean
}

/** At most `max` connections, and `maxOfOne` of each sender. */
export function createConnectionLimiter<T extends Limited>(max: number, maxOfOne: number) {
  // Oldest first, apart from those that were passed over.
  const all = new Set<T>()
  const bySender = new Map<string, Set<T>>()

  function leave(connection: T): void {
    if (!all.delete(connection) || connection.sender === undefined) return
    const own = bySender.get(connection.sender)
    own?.delete(connection)
    if (own?.size === 0) bySender.delete(connection.sender)
  }

  /** False if all that were looked at are busy. */
  function makeRoom(connections: Set<T> | undefined, limit: number): boolean {
    if (!connections || connections.size < limit) return true
    let passedOver = 0
    for (const connection of connections) {
      if (connection.isIdle()) {
        leave(connection)
        connection.drop()
        return true
      }
      if (++passedOver === maxPassedOver) break
      connections.delete(connection)
      connections.add(connection)
    }
    return false
  }

  return {
    /** Adds a connection until it leaves. False if there is no room. */
    enter(connection: T): boolean {
      const { sender } = connection
      const own = sender === undefined ? undefined : bySender.get(sender)
      if (!makeRoom(own, maxOfOne) || !makeRoom(all, max)) return false
      all.add(connection)
      if (sender === undefined) return true
      const others = bySender.get(sender)
      if (others) others.add(connection)
      else bySender.set(sender, new Set([connection]))
      return true
    },
    /** It is closed. Nothing happens if it is not here. */
    leave,
    all: (): Iterable<T> => all,
    get size() {
      return all.size
    },
  }
}
