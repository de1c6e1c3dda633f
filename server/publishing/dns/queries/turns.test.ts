// Turns: never more than there are, the hungriest first, nobody forgotten.
import { expect, test } from 'vitest'
import { createTurns } from './turns.ts'

/** Lets everything go on that can. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('no more than there are, and each that is given back goes to the next', async () => {
  const turns = createTurns(2)
  const order: number[] = []
  const owner = {}
  const done: (() => void)[] = []
  for (let number = 0; number < 5; number++) {
    void turns.take(owner).then((giveBack) => {
      order.push(number)
      if (giveBack) done.push(giveBack)
    })
  }
  await settle()
  expect(order).toEqual([0, 1])
  done[1]?.()
  done[1]?.()
  await settle()
  expect(order).toEqual([0, 1, 2])
  expect(turns).toMatchObject({ taken: 2, maxTaken: 2 })
  done[0]?.()
  await settle()
  for (const giveBack of done) giveBack()
  await settle()
  for (const giveBack of done) giveBack()
  expect(order).toEqual([0, 1, 2, 3, 4])
  expect(turns).toMatchObject({ taken: 0, maxTaken: 2 })
})

test('whoever has none goes before the one who has many, however many that one wants', async () => {
  const turns = createTurns(3)
  const greedy = {}
  const modest = {}
  const first = await Promise.all([1, 2, 3].map(() => turns.take(greedy)))
  const order: string[] = []
  const wait = (owner: object, name: string) =>
    turns.take(owner).then((giveBack) => {
      order.push(name)
      giveBack?.()
    })
  const all = [wait(greedy, 'greedy'), wait(greedy, 'greedy'), wait(modest, 'modest')]
  first[0]?.()
  await Promise.all(all)
  expect(order).toEqual(['modest', 'greedy', 'greedy'])
})

test('who gives up waits no longer, and takes nothing from the others', async () => {
  const turns = createTurns(1)
  const giveBack = await turns.take({})
  const impatient = new AbortController()
  const given = turns.take({}, impatient.signal)
  const patient = turns.take({})
  impatient.abort()
  expect(await given).toBeUndefined()
  expect(await turns.take({}, impatient.signal)).toBeUndefined()
  giveBack?.()
  expect(await patient).toBeInstanceOf(Function)
  expect(turns.taken).toBe(1)
})
