import { expect, it } from 'vitest'
import { retryDelayMs, retryDelaysMs } from './retry-schedule.ts'

const now = Date.UTC(2027, 0, 1)
const day = 24 * 3600 * 1000

it('retries nine times with the delays of Standard Webhooks plus jitter', () => {
  for (const [i, delay] of retryDelaysMs.entries()) {
    expect(retryDelayMs(i + 1, undefined, now, 0)).toBe(Math.round(delay * 0.9))
    expect(retryDelayMs(i + 1, undefined, now, 0.5)).toBe(delay)
    expect(retryDelayMs(i + 1, undefined, now, 1)).toBe(Math.round(delay * 1.1))
  }
  expect(retryDelayMs(retryDelaysMs.length + 1, undefined, now)).toBeUndefined()
  expect(retryDelaysMs.reduce((sum, delay) => sum + delay)).toBeGreaterThan(3 * day)
})

it.each([
  ['60', 60_000],
  ['1', 5000],
  ['0', 5000],
  ['-60', 5000],
  ['soon', 5000],
  ['', 5000],
  ['999999999', day],
  ['99999999999999999999', 5000],
  [new Date(now + 120_000).toUTCString(), 120_000],
  [new Date(now - 120_000).toUTCString(), 5000],
  [new Date(now + 30 * day).toUTCString(), day],
])('accepts Retry-After: %s within bounds', (field, delay) => {
  expect(retryDelayMs(1, field, now, 0.5)).toBe(delay)
})

it('does not retry after the last attempt, even with Retry-After', () => {
  expect(retryDelayMs(10, '60', now)).toBeUndefined()
})
