import { expect, it } from 'vitest'
import { createConnectionLimiter, maxConnections } from './clients.ts'

const always = (): boolean => true

it('closes the oldest connection of the same sender, and the oldest of all senders', () => {
  const limit = createConnectionLimiter(4, 2)
  const dropped: string[] = []
  const enter = (sender: string, name: string) => {
    const connection = { sender, drop: () => void dropped.push(name), isIdle: always }
    expect(limit.enter(connection)).toBe(true)
    return connection
  }
  enter('a', 'a1')
  const second = enter('a', 'a2')
  enter('a', 'a3')
  expect(dropped).toEqual(['a1'])
  limit.leave(second)
  limit.leave(second)
  enter('a', 'a4')
  enter('b', 'b1')
  enter('c', 'c1')
  expect([dropped, limit.size]).toEqual([['a1'], 4])
  enter('d', 'd1')
  expect([dropped, limit.size]).toEqual([['a1', 'a3'], 4])
})

it('passes over busy connections, and has no room if all of them are', () => {
  const limit = createConnectionLimiter(10, 3)
  const dropped: string[] = []
  const busy = new Set(['one', 'three'])
  const enter = (name: string) =>
    limit.enter({
      sender: 'a',
      drop: () => void dropped.push(name),
      isIdle: () => !busy.has(name),
    })
  for (const name of ['one', 'two', 'three', 'four']) enter(name)
  expect(dropped).toEqual(['two'])
  busy.add('four')
  expect(enter('five')).toBe(false)
  busy.delete('one')
  expect(enter('five')).toBe(true)
  expect(dropped).toEqual(['two', 'one'])
})

it('a sender without a name has the limit of all', () => {
  const limit = createConnectionLimiter(5, 2)
  const dropped: number[] = []
  for (let i = 0; i < 7; i++)
    limit.enter({ sender: undefined, drop: () => void dropped.push(i), isIdle: always })
  expect([dropped, limit.size]).toEqual([[0, 1], 5])
})

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
