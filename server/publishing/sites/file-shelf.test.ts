import { expect, it } from 'vitest'
import { createShelf, type Shelved } from './file-shelf.ts'

function item(dropped: string[], name: string): Shelved {
  return { wanted: false, bytes: 0, drop: () => void dropped.push(name) }
}

it('keeps no more than its bound, and drops what was put first', () => {
  const dropped: string[] = []
  const shelf = createShelf(100)
  for (const name of ['a', 'b', 'c', 'd']) shelf.put(item(dropped, name), 30)
  expect(dropped).toEqual(['a'])
  expect(shelf.bytes).toBe(90)
})

it('gives what was wanted meanwhile a second chance, but no third', () => {
  const dropped: string[] = []
  const shelf = createShelf(100)
  const [a, b, c] = ['a', 'b', 'c'].map((name) => item(dropped, name)) as [
    Shelved,
    Shelved,
    Shelved,
  ]
  for (const one of [a, b, c]) shelf.put(one, 30)
  a.wanted = true
  c.wanted = true
  shelf.put(item(dropped, 'd'), 30)
  expect(dropped).toEqual(['b'])
  shelf.put(item(dropped, 'e'), 30)
  expect(dropped).toEqual(['b', 'd'])
  shelf.put(item(dropped, 'f'), 30)
  expect(dropped).toEqual(['b', 'd', 'a'])
})

it('grows only what it has, and says whether it still has it', () => {
  const dropped: string[] = []
  const shelf = createShelf(100)
  const [a, b] = [item(dropped, 'a'), item(dropped, 'b')]
  shelf.put(a, 30)
  expect(shelf.grow(a, 20)).toBe(true)
  expect(shelf.grow(b, 20)).toBe(false)
  expect(shelf.bytes).toBe(50)
  shelf.put(b, 30)
  expect(shelf.grow(a, 30)).toBe(false)
  expect(dropped).toEqual(['a'])
  expect(shelf.bytes).toBe(30)
  expect(a.bytes).toBe(0)
})

it('what is larger than the bound alone goes at once, and once', () => {
  const dropped: string[] = []
  const shelf = createShelf(100)
  shelf.put(item(dropped, 'a'), 101)
  expect(dropped).toEqual(['a'])
  expect(shelf.bytes).toBe(0)
})
