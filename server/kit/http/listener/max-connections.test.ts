import { expect, it } from 'vitest'
import { maxConnections } from './max-connections.ts'

it.each([
  [20_000, 20_000, 17_500],
  [20_000, 1_048_576, 20_000],
  [20_000, 1_024, 896],
  [20_000, 256, 156],
  [20_000, Number.POSITIVE_INFINITY, 20_000],
])('of %i wanted with %i open files: %i', (wanted, openFiles, max) => {
  expect(maxConnections(wanted, openFiles)).toBe(max)
})

it('of this process they are fewer than its open files', () => {
  expect(maxConnections(Number.MAX_SAFE_INTEGER)).toBeGreaterThan(0)
  expect(maxConnections(20_000)).toBeLessThanOrEqual(20_000)
})
