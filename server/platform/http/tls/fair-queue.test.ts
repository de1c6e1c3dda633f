import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

it('a few begin in each turn, and senders take turns', async () => {
  const queue = createFairQueue(2)
  const begun: string[] = []
  for (const who of ['a', 'a', 'a', 'a', 'a', 'b', 'c']) queue.begin(who, () => begun.push(who))
  expect(begun.join('')).toBe('aa')
  await nextTurn()
  expect(begun.join('')).toBe('aaab')
  await nextTurn()
  expect(begun.join('')).toBe('aaabca')
  await nextTurn()
  expect(begun.join('')).toBe('aaabcaa')
  await nextTurn()
  queue.begin('d', () => begun.push('d'))
  expect(begun.at(-1)).toBe('d')
})
