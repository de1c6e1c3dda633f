import { expect, it } from 'vitest'
import { pollUntil } from './orders.ts'

/** A clock that advances only while waiting. */
function fakeTime() {
  const waits: number[] = []
  let at = 0
  return {
    waits,
    now: () => at,
    wait: async (ms: number, signal: AbortSignal | undefined) => {
      signal?.throwIfAborted()
      waits.push(ms)
      at += ms
    },
  }
}

const settled = { done: true, retryAt: undefined }
const unsettled = { done: false, retryAt: undefined }
const isSettled = ({ done }: { done: boolean }) => done

it('polls immediately, and stops when the result is final', async () => {
  const time = fakeTime()
  const seen = await pollUntil(async () => settled, isSettled, { ...time, withinMs: 1000 })
  expect(seen).toBe(settled)
  expect(time.waits).toEqual([])
})

it('doubles the delay each time, and stops at the timeout', async () => {
  const time = fakeTime()
  let looks = 0
  const look = async () => {
    looks++
    return unsettled
  }
  const seen = await pollUntil(look, isSettled, { ...time, withinMs: 40_000 })
  expect(seen).toBe(unsettled)
  expect(time.waits).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
  expect(looks).toBe(time.waits.length + 1)
  expect(time.now()).toBeLessThanOrEqual(40_000)
})

it('waits until the time that the authority requests, within bounds', async () => {
  const time = fakeTime()
  const asked = [5000, 5000, 10_000_000]
  const look = async () => {
    const retryAt = asked.shift()
    return { done: retryAt === undefined, retryAt }
  }
  await pollUntil(look, isSettled, { ...time, withinMs: 200_000 })
  // The second time is already in the past.
  expect(time.waits).toEqual([5000, 100, 60_000])
})

it('ends when the signal aborts', async () => {
  const time = fakeTime()
  const giveUp = new AbortController()
  const look = async () => {
    giveUp.abort(new Error('enough'))
    return unsettled
  }
  const { signal } = giveUp
  const looking = pollUntil(look, isSettled, { ...time, withinMs: 1e9, signal })
  await expect(looking).rejects.toThrow('enough')
})
