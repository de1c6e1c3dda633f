// Quantiles from histogram counts.
import { expect, it } from 'vitest'
import { latencyQuantile } from './system-tables.ts'

const bounds = [0.001, 0.01, 0.1]

it.each([
  ['nothing', [0, 0, 0, 0], 0.5, null],
  ['half of the first bucket', [10, 0, 0, 0], 0.5, 0.5],
  ['all of the first bucket', [10, 0, 0, 0], 1, 1],
  ['the end of the first bucket', [50, 50, 0, 0], 0.5, 1],
  ['within the second bucket', [50, 50, 0, 0], 0.75, 5.5],
  ['over an empty bucket', [50, 0, 50, 0], 0.99, 98.2],
  ['beyond the last bound', [0, 0, 0, 7], 0.5, 100],
])('of %s', (_, counts, q, milliseconds) => {
  expect(latencyQuantile(q, counts, bounds)).toBe(milliseconds)
})
