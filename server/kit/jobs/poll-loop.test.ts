// Passes never overlap, failures are retried with increasing delay, and stopping waits for the current pass.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { maxBackOffMs, type PollLoopOptions, startPollLoop } from './poll-loop.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A loop whose passes end when the test ends them. */
function polled(options: Partial<PollLoopOptions> = {}) {
  const warn = vi.fn()
  const passes: PromiseWithResolvers<number | undefined>[] = []
  const signals: AbortSignal[] = []
  const loop = startPollLoop({
    name: 'polling',
    log: { warn } as never,
    intervalMs: 1000,
    poll(signal) {
      const pass = Promise.withResolvers<number | undefined>()
      passes.push(pass)
      signals.push(signal)
      return pass.promise
    },
    ...options,
  })
  return { loop, passes, signals, warn, advance: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
}

describe('passes', () => {
  it('start immediately, then after the interval or at the time that the last pass returned', async () => {
    const { advance, passes } = polled()
    expect(passes).toHaveLength(1)
    await advance(5000)
    expect(passes).toHaveLength(1)
    passes[0]?.resolve(undefined)
    await advance(999)
    expect(passes).toHaveLength(1)
    await advance(1)
    expect(passes).toHaveLength(2)
    passes[1]?.resolve(10)
    await advance(10)
    expect(passes).toHaveLength(3)
    passes[2]?.resolve(Number.POSITIVE_INFINITY)
    await advance(3_600_000)
    expect(passes).toHaveLength(3)
  })

  it('start after the interval when the first pass is delayed', async () => {
    const { advance, passes } = polled({ startsNow: false })
    await advance(999)
    expect(passes).toHaveLength(0)
    await advance(1)
    expect(passes).toHaveLength(1)
  })

  it('never overlap: any number of wake-ups adds one pass after the current one', async () => {
    const { advance, loop, passes } = polled()
    let isDone = false
    void loop.runNow().then(() => {
      isDone = true
    })
    loop.wake()
    await advance(0)
    expect(passes).toHaveLength(1)
    passes[0]?.resolve(undefined)
    await advance(0)
    expect(passes).toHaveLength(2)
    expect(isDone).toBe(false)
    passes[1]?.resolve(undefined)
    await advance(0)
    expect(isDone).toBe(true)
    expect(passes).toHaveLength(2)
    loop.wake()
    expect(passes).toHaveLength(3)
  })

  it('keep the pause between them after a wake-up, too', async () => {
    const { advance, loop, passes } = polled({ pauseMs: () => 200, intervalMs: Infinity })
    passes[0]?.resolve(undefined)
    await advance(0)
    await loop.runNow()
    await advance(199)
    expect(passes).toHaveLength(1)
    await advance(1)
    expect(passes).toHaveLength(2)
    loop.wake()
    passes[1]?.resolve(undefined)
    await advance(199)
    expect(passes).toHaveLength(2)
    await advance(1)
    expect(passes).toHaveLength(3)
  })
})

describe('a pass that fails', () => {
  it('is logged once, and retried with increasing delay until a pass succeeds', async () => {
    const { advance, passes, warn } = polled()
    const delays = [1000, 2000, 4000, maxBackOffMs, maxBackOffMs]
    for (const [i, delay] of delays.entries()) {
      passes[i]?.reject(new Error('the database is away'))
      await advance(delay - 1)
      expect(passes).toHaveLength(i + 1)
      await advance(1)
      expect(passes).toHaveLength(i + 2)
    }
    expect(warn).toHaveBeenCalledTimes(1)
    expect(warn).toHaveBeenCalledWith(expect.anything(), 'polling failed; retrying')
    passes[5]?.resolve(undefined)
    await advance(1000)
    passes[6]?.reject(new Error('away again'))
    await advance(1000)
    expect(warn).toHaveBeenCalledTimes(2)
    expect(passes).toHaveLength(8)
  })

  it('is retried immediately after a wake-up, and rejects no promise', async () => {
    const { advance, loop, passes } = polled()
    passes[0]?.reject(new Error('the database is away'))
    await advance(0)
    const woken = loop.runNow()
    expect(passes).toHaveLength(2)
    passes[1]?.reject(new Error('still away'))
    expect(await woken).toBeUndefined()
  })
})

it('aborts the current pass on stop, waits for it, and starts no other', async () => {
  const { advance, loop, passes, signals, warn } = polled()
  loop.wake()
  let isStopped = false
  const stopped = loop.stop().then(() => {
    isStopped = true
  })
  await advance(0)
  expect(signals[0]?.aborted).toBe(true)
  expect(isStopped).toBe(false)
  passes[0]?.reject(new Error('aborted'))
  await stopped
  loop.wake()
  await advance(60_000)
  expect(passes).toHaveLength(1)
  expect(warn).not.toHaveBeenCalled()
})
