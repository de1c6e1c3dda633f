// Turns at something of which there is a limited number, such as sockets. Whoever has the fewest goes first,
// so that one who wants many cannot starve the others; among equals who came first.

export interface Turns {
  /**
   * Resolves with the function that gives the turn back (calling it again does nothing), or with undefined
   * when the signal aborts before. Turns of one owner are given in the order in which they were asked for.
   */
  take(owner: object, signal?: AbortSignal): Promise<(() => void) | undefined>
  /** Turns that are taken now, and the most that were ever taken at once. */
  readonly taken: number
  readonly maxTaken: number
}

interface Owner {
  taken: number
  waiting: Set<() => void>
}

export function createTurns(most: number): Turns {
  const owners = new Map<object, Owner>()
  let taken = 0
  let maxTaken = 0

  const give = (key: object, owner: Owner): (() => void) => {
    taken += 1
    maxTaken = Math.max(maxTaken, taken)
    owner.taken += 1
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      taken -= 1
      owner.taken -= 1
      forget(key, owner)
      next()
    }
  }
  const forget = (key: object, owner: Owner) => {
    if (owner.taken === 0 && owner.waiting.size === 0) owners.delete(key)
  }
  const next = () => {
    let first: Owner | undefined
    for (const owner of owners.values()) {
      if (owner.waiting.size > 0 && (!first || owner.taken < first.taken)) first = owner
    }
    const [start] = first?.waiting ?? []
    start?.()
  }
  const ownerOf = (key: object): Owner => {
    const owner = owners.get(key) ?? { taken: 0, waiting: new Set() }
    owners.set(key, owner)
    return owner
  }

  return {
    async take(key, signal) {
      if (signal?.aborted) return undefined
      // While somebody waits, all turns are taken.
      if (taken < most) return give(key, ownerOf(key))
      const owner = ownerOf(key)
      const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>()
      const leave = () => {
        owner.waiting.delete(start)
        signal?.removeEventListener('abort', giveUp)
      }
      const start = () => {
        leave()
        resolve(give(key, owner))
      }
      const giveUp = () => {
        leave()
        forget(key, owner)
        resolve(undefined)
      }
      owner.waiting.add(start)
      signal?.addEventListener('abort', giveUp, { once: true })
      return promise
    },
    get taken() {
      return taken
    },
    get maxTaken() {
      return maxTaken
    },
  }
}
