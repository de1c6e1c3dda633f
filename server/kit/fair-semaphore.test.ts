// Never grants more permits than exist, is fair among owners, and loses no permit to failures, waits or aborts.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createFairSemaphore, type Release } from './fair-semaphore.ts'

afterEach(() => {
  vi.useRealTimers()
})

const busy = { code: 'unavailable', headers: { 'Retry-After': '5' } }

describe('one owner', () => {
  it('never holds more permits than exist, and is served in order', async () => {
    const semaphore = createFairSemaphore({ maxPermits: 2 })
    const order: number[] = []
    const releases: Release[] = []
    for (let number = 0; number < 5; number++) {
      void semaphore.acquire('a').then((release) => {
        order.push(number)
        releases.push(release)
      })
    }
    await nextTurn()
    expect(order).toEqual([0, 1])
    releases[1]?.()
    releases[1]?.()
    await nextTurn()
    expect(order).toEqual([0, 1, 2])
    expect(semaphore).toMatchObject({ held: 2, maxHeld: 2 })
    releases[0]?.()
    await nextTurn()
    for (const release of releases) release()
    await nextTurn()
    for (const release of releases) release()
    expect(order).toEqual([0, 1, 2, 3, 4])
    expect(semaphore).toMatchObject({ held: 0, maxHeld: 2 })
  })

  it('is refused immediately when too many requests wait, and after waiting too long', async () => {
    vi.useFakeTimers()
    const semaphore = createFairSemaphore({ maxPermits: 1, maxWaiting: 1, maxWaitMs: 5000 })
    const release = await semaphore.acquire('a')
    const late = expect(semaphore.acquire('a')).rejects.toMatchObject(busy)
    await expect(semaphore.acquire('a')).rejects.toMatchObject(busy)
    await vi.advanceTimersByTimeAsync(4999)
    await expect(semaphore.acquire('a')).rejects.toMatchObject(busy)
    await vi.advanceTimersByTimeAsync(1)
    await late
    const next = semaphore.acquire('a')
    release()
    ;(await next)()
    expect(semaphore.held).toBe(0)
  })

  it('returns its permits when its work fails', async () => {
    const semaphore = createFairSemaphore({ maxPermits: 1, maxWaiting: 0 })
    const failing = semaphore.use('a', () => Promise.reject(new Error('no memory')))
    await expect(semaphore.use('a', async () => 'full')).rejects.toMatchObject(busy)
    await expect(failing).rejects.toThrow('no memory')
    expect(await semaphore.use('a', async () => 'free')).toBe('free')
  })

  it('gives them at once if there is room, but not before those who wait', async () => {
    const semaphore = createFairSemaphore({ maxPermits: 2 })
    const release = semaphore.tryAcquire('a')
    expect(release).toBeDefined()
    const waits = semaphore.acquire('a', { permits: 2 })
    expect(semaphore.tryAcquire('b')).toBeUndefined()
    release?.()
    const releaseBoth = await waits
    expect(semaphore.tryAcquire('b')).toBeUndefined()
    releaseBoth()
    expect(semaphore.tryAcquire('b')).toBeDefined()
    expect(semaphore.held).toBe(1)
  })
})

describe('weights', () => {
  it('serve a large request before smaller ones that came later', async () => {
    const semaphore = createFairSemaphore({ maxPermits: 4 })
    const order: string[] = []
    const wait = async (name: string, permits: number): Promise<Release> => {
      const release = await semaphore.acquire('a', { permits })
      order.push(name)
      return release
    }
    const first = await wait('three', 3)
    const large = wait('four', 4)
    const small = wait('one', 1)
    await nextTurn()
    expect(order).toEqual(['three'])
    first()
    ;(await large)()
    ;(await small)()
    expect(order).toEqual(['three', 'four', 'one'])
  })

  it('limit a request to the total number of permits', async () => {
    const limits = { maxPermits: 4, maxPermitsPerOwner: 2, maxWaiting: 1, maxWaitMs: 0 }
    const semaphore = createFairSemaphore(limits)
    const release = await semaphore.acquire('a', { permits: 100 })
    await expect(semaphore.acquire('a')).rejects.toMatchObject(busy)
    release()
    await semaphore.acquire('a', { permits: 100 })
    expect(semaphore.held).toBe(2)
  })
})

describe('several owners', () => {
  it('serve an owner without permits before an owner with many', async () => {
    const semaphore = createFairSemaphore({ maxPermits: 3 })
    const greedy = {}
    const modest = {}
    const first = await Promise.all([1, 2, 3].map(() => semaphore.acquire(greedy)))
    const order: string[] = []
    const wait = (owner: object, name: string) =>
      semaphore.use(owner, async () => void order.push(name))
    const all = [wait(greedy, 'greedy'), wait(greedy, 'greedy'), wait(modest, 'modest')]
    first[0]?.()
    await Promise.all(all)
    expect(order).toEqual(['modest', 'greedy', 'greedy'])
  })

  it('take turns when each holds its permit for one turn of the event loop', async () => {
    const semaphore = createFairSemaphore({ maxPermits: 2 })
    let begun = ''
    for (const owner of 'aaaaabc') {
      void semaphore.acquire(owner).then((release) => {
        begun += owner
        setImmediate(release)
      })
    }
    const seen: string[] = []
    for (let turn = 0; turn < 5; turn++) {
      await nextTurn()
      seen.push(begun)
    }
    expect(seen).toEqual(['aa', 'aabc', 'aabcaa', 'aabcaaa', 'aabcaaa'])
    expect(semaphore).toMatchObject({ held: 0, maxHeld: 2 })
  })

  it('stay within their own limit, and do not block others by it', async () => {
    const limits = { maxPermits: 4, maxPermitsPerOwner: 2, maxWaiting: 1, maxWaitMs: 60_000 }
    const semaphore = createFairSemaphore(limits)
    const [release] = await Promise.all([semaphore.acquire('a'), semaphore.acquire('a')])
    const waits = semaphore.acquire('a')
    await expect(semaphore.acquire('a')).rejects.toMatchObject(busy)
    const releaseOther = await semaphore.acquire('b', { permits: 2 })
    // The request of a waits only for a. It does not use the queue space of other owners.
    const other = semaphore.acquire('c')
    await expect(semaphore.acquire('d')).rejects.toMatchObject(busy)
    release()
    releaseOther()
    await Promise.all([waits, other])
    expect(semaphore.held).toBe(3)
  })
})

describe('urgent requests', () => {
  it('go before all others, and displace one that waits when the queue is full', async () => {
    const semaphore = createFairSemaphore({ maxPermits: 1, maxWaiting: 2 })
    const order: string[] = []
    const wait = (owner: string, isUrgent = false) =>
      semaphore.use(owner, async () => void order.push(owner), { isUrgent })
    const release = await semaphore.acquire('first')
    const a = wait('a')
    const b = wait('b')
    await expect(wait('c')).rejects.toMatchObject(busy)
    const displaced = expect(a).rejects.toMatchObject(busy)
    const urgent = wait('urgent', true)
    await displaced
    release()
    await Promise.all([b, urgent])
    expect(order).toEqual(['urgent', 'b'])
  })
})

describe('a full queue', () => {
  it('gives a place of the owner with the most waiting requests to one with fewer', async () => {
    const limits = { maxPermits: 1, maxWaiting: 4, maxWaitingPerOwner: 3 }
    const semaphore = createFairSemaphore(limits)
    const release = await semaphore.acquire('first')
    const order: string[] = []
    const wait = (owner: string) => semaphore.use(owner, async () => void order.push(owner))
    const greedy = [wait('greedy'), wait('greedy'), wait('greedy')]
    await expect(wait('greedy')).rejects.toMatchObject(busy)
    const modest = [wait('a')]
    const last = expect(greedy.pop()).rejects.toMatchObject(busy)
    modest.push(wait('b'))
    await last
    // The greedy one now waits with two, as these would.
    await expect(wait('a')).rejects.toMatchObject(busy)
    await expect(wait('b')).rejects.toMatchObject(busy)
    release()
    await Promise.all([...greedy, ...modest])
    expect(order).toEqual(['greedy', 'a', 'b', 'greedy'])
  })
})

describe('a request that is aborted', () => {
  it('stops waiting, and takes no permit from others', async () => {
    const semaphore = createFairSemaphore({ maxPermits: 1 })
    const release = await semaphore.acquire('a')
    const impatient = new AbortController()
    const aborted = expect(
      semaphore.acquire('b', { signal: impatient.signal }),
    ).rejects.toMatchObject({ name: 'AbortError' })
    const patient = semaphore.acquire('c')
    impatient.abort()
    await aborted
    await expect(semaphore.acquire('b', { signal: impatient.signal })).rejects.toThrow('aborted')
    release()
    await patient
    expect(semaphore.held).toBe(1)
  })

  it('lets smaller requests behind it proceed', async () => {
    const semaphore = createFairSemaphore({ maxPermits: 2 })
    await semaphore.acquire('a')
    const large = new AbortController()
    const aborted = semaphore.acquire('b', { permits: 2, signal: large.signal }).catch(() => 'gone')
    const small = semaphore.acquire('b')
    large.abort()
    await small
    expect(await aborted).toBe('gone')
    expect(semaphore.held).toBe(2)
  })
})
