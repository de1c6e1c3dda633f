// A bounded number of permits, shared by many owners: memory for uploads, sockets, password hashes,
// handshakes. The owner that holds the fewest permits goes first, so that one that asks for much cannot
// starve the others; the requests of one owner are served in order.
import { type AppError, retryLater } from './errors.ts'

interface SemaphoreLimits {
  maxPermits: number
  /** Permits that one owner may hold at once; no limit of its own without it. */
  maxPermitsPerOwner?: number
  /**
   * Requests of one owner that may wait, and requests of all owners that only wait for others. At the second limit,
   * a request of an owner with fewer waiting requests displaces one of the owner with the most.
   */
  maxWaiting?: number
  /** A lower limit for one owner. */
  maxWaitingPerOwner?: number
  /** How long a request may wait. */
  maxWaitMs?: number
  /** Says why a request is refused. */
  busyMessage?: string
}

interface AcquireOptions {
  /** 1 by default. More than there are, or than one owner may hold, counts as all of them. */
  permits?: number
  /** Goes before all requests that are not urgent. Those of one owner should be equally urgent. */
  isUrgent?: boolean
  signal?: AbortSignal | undefined
}

/** Returns the permits. Calling it again does nothing. */
export type Release = () => void

interface Waiter {
  permits: number
  isUrgent: boolean
  grant(): void
  refuse(reason: unknown): void
}

interface Owner {
  held: number
  /** Ascends with each grant; 0 before the first. */
  lastGrant: number
  waiting: Set<Waiter>
}

const retryAfterSeconds = 5

export type FairSemaphore = ReturnType<typeof createFairSemaphore>

export function createFairSemaphore(limits: SemaphoreLimits) {
  const { maxPermits, maxPermitsPerOwner = maxPermits, maxWaitMs } = limits
  const { maxWaiting = Number.POSITIVE_INFINITY, maxWaitingPerOwner = maxWaiting } = limits
  const { busyMessage = 'The server is busy. Try again in a moment.' } = limits
  // Owners that hold or wait for permits.
  const owners = new Map<unknown, Owner>()
  let waiting = 0
  let held = 0
  let maxHeld = 0
  let grants = 0

  function take(key: unknown, owner: Owner, permits: number): Release {
    held += permits
    maxHeld = Math.max(maxHeld, held)
    owner.held += permits
    owner.lastGrant = ++grants
    owners.set(key, owner)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      held -= permits
      owner.held -= permits
      if (owner.held === 0) forgetIdle(key, owner)
      if (waiting > 0) grantNext()
    }
  }

  function forgetIdle(key: unknown, owner: Owner): void {
    if (owner.held === 0 && owner.waiting.size === 0) owners.delete(key)
  }

  /** The first request of an owner, if its own limit leaves room for it. */
  function firstEligible(owner: Owner): Waiter | undefined {
    const [first] = owner.waiting
    return first && owner.held + first.permits <= maxPermitsPerOwner ? first : undefined
  }

  function grantNext(): void {
    while (waiting > 0 && held < maxPermits) {
      let next: Waiter | undefined
      let nextOwner: Owner | undefined
      for (const owner of owners.values()) {
        const first = firstEligible(owner)
        if (!first) continue
        if (next && nextOwner) {
          if (next.isUrgent && !first.isUrgent) continue
          if (next.isUrgent === first.isUrgent && !goesBefore(owner, nextOwner)) continue
        }
        next = first
        nextOwner = owner
      }
      // A large request is not passed over for smaller ones that came later.
      if (!next || held + next.permits > maxPermits) return
      next.grant()
    }
  }

  /** Makes room for a request by displacing another, if need be. False if there is none. */
  function hasPlace(owner: Owner, isUrgent: boolean): boolean {
    if (owner.waiting.size >= maxWaitingPerOwner) return false
    if (waiting < maxWaiting) return true
    const eligible = [...owners.values()].filter(firstEligible)
    if (eligible.reduce((sum, { waiting }) => sum + waiting.size, 0) < maxWaiting) return true
    const displaced = findDisplaced(eligible, owner, isUrgent)
    displaced?.refuse(busy())
    return displaced !== undefined
  }

  /** The last request of the owner that waits with the most, if a new one of `owner` should come before it. */
  function findDisplaced(from: Owner[], owner: Owner, isUrgent: boolean): Waiter | undefined {
    const isBehind = ({ last, size }: { last: Waiter; size: number }): boolean =>
      last.isUrgent === isUrgent ? size > owner.waiting.size + 1 : isUrgent
    const [behind] = from
      .map(({ waiting }) => ({ last: [...waiting].at(-1) as Waiter, size: waiting.size }))
      .filter(isBehind)
      .sort((a, b) => Number(a.last.isUrgent) - Number(b.last.isUrgent) || b.size - a.size)
    return behind?.last
  }

  const busy = (): AppError => retryLater(busyMessage, retryAfterSeconds)

  const hasRoom = (owner: Owner, permits: number): boolean =>
    held + permits <= maxPermits && owner.held + permits <= maxPermitsPerOwner

  const ownerOf = (key: unknown): Owner =>
    owners.get(key) ?? { held: 0, lastGrant: 0, waiting: new Set() }

  function tryAcquire(key: unknown, wanted = 1): Release | undefined {
    const permits = Math.min(wanted, maxPermits, maxPermitsPerOwner)
    const owner = ownerOf(key)
    return waiting === 0 && hasRoom(owner, permits) ? take(key, owner, permits) : undefined
  }

  async function acquire(key: unknown, options: AcquireOptions = {}): Promise<Release> {
    const { isUrgent = false, permits: wanted = 1, signal } = options
    signal?.throwIfAborted()
    const release = tryAcquire(key, wanted)
    if (release) return release
    const permits = Math.min(wanted, maxPermits, maxPermitsPerOwner)
    const owner = ownerOf(key)
    if (!hasRoom(owner, permits) && !hasPlace(owner, isUrgent)) throw busy()
    owners.set(key, owner)
    return await new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
        owner.waiting.delete(waiter)
        waiting -= 1
      }
      const refuse = (reason: unknown): void => {
        leave()
        forgetIdle(key, owner)
        reject(reason)
        // It may have kept smaller ones waiting.
        grantNext()
      }
      const abort = (): void => refuse(signal?.reason)
      const waiter: Waiter = {
        permits,
        isUrgent,
        refuse,
        grant() {
          leave()
          resolve(take(key, owner, permits))
        },
      }
      const timer =
        maxWaitMs === undefined ? undefined : setTimeout(() => refuse(busy()), maxWaitMs)
      signal?.addEventListener('abort', abort, { once: true })
      owner.waiting.add(waiter)
      waiting += 1
      grantNext()
    })
  }

  return {
    /**
     * Resolves when the permits are taken. Rejects with `unavailable` and Retry-After when too many wait or
     * it takes too long, and with the signal's reason when that aborts.
     */
    acquire,
    /** Takes the permits if nobody has to wait; undefined otherwise. */
    tryAcquire,
    /** Does the work while it holds the permits. */
    async use<T>(owner: unknown, work: () => Promise<T>, options?: AcquireOptions) {
      const release = await acquire(owner, options)
      try {
        return await work()
      } finally {
        release()
      }
    },
    /** Permits that are taken now, and the most that were ever taken at once. */
    get held() {
      return held
    },
    get maxHeld() {
      return maxHeld
    },
  }
}

/** Among owners that hold the same the one that was served longest ago goes first. */
function goesBefore(a: Owner, b: Owner): boolean {
  return a.held === b.held ? a.lastGrant < b.lastGrant : a.held < b.held
}
