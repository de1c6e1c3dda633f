import { expect, it } from 'vitest'
import { createConnectionLimiter } from './connection-limiter.ts'

it('closes the oldest connection of the same sender, and the oldest of all senders', () => {
  const limit = createConnectionLimiter(4, 2)
  const dropped: string[] = []
  const enter = (who: string, name: string) => limit.enter(who, () => dropped.push(name))
  enter('a', 'a1')
  const leave = enter('a', 'a2')
  enter('a', 'a3')
  expect(dropped).toEqual(['a1'])
  leave()
  leave()
  enter('a', 'a4')
  enter('b', 'b1')
  enter('c', 'c1')
  expect([dropped, limit.size]).toEqual([['a1'], 4])
  enter('d', 'd1')
  expect([dropped, limit.size]).toEqual([['a1', 'a3'], 4])
})
