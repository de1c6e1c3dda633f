import { expect, it } from 'vitest'
import { type CachedFile, createFileCache } from './site.ts'

function item(dropped: string[], name: string): CachedFile {
  return { isUsed: false, bytes: 0, drop: () => void dropped.push(name) }
}

it('stays within its limit, and evicts the oldest entry first', () => {
  const dropped: string[] = []
  const cache = createFileCache(100)
  for (const name of ['a', 'b', 'c', 'd']) cache.put(item(dropped, name), 30)
  expect(dropped).toEqual(['a'])
  expect(cache.bytes).toBe(90)
})

it('keeps an entry that was used once more, then evicts it', () => {
  const dropped: string[] = []
  const cache = createFileCache(100)
  const [a, b, c] = ['a', 'b', 'c'].map((name) => item(dropped, name)) as [
    CachedFile,
    CachedFile,
    CachedFile,
  ]
  for (const one of [a, b, c]) cache.put(one, 30)
  a.isUsed = true
  c.isUsed = true
  cache.put(item(dropped, 'd'), 30)
  expect(dropped).toEqual(['b'])
  cache.put(item(dropped, 'e'), 30)
  expect(dropped).toEqual(['b', 'd'])
  cache.put(item(dropped, 'f'), 30)
  expect(dropped).toEqual(['b', 'd', 'a'])
})

it('grows only existing entries, and returns whether the entry exists', () => {
  const dropped: string[] = []
  const cache = createFileCache(100)
  const [a, b] = [item(dropped, 'a'), item(dropped, 'b')]
  cache.put(a, 30)
  expect(cache.grow(a, 20)).toBe(true)
  expect(cache.grow(b, 20)).toBe(false)
  expect(cache.bytes).toBe(50)
  cache.put(b, 30)
  expect(cache.grow(a, 30)).toBe(false)
  expect(dropped).toEqual(['a'])
  expect(cache.bytes).toBe(30)
  expect(a.bytes).toBe(0)
})

it('evicts an entry larger than the limit immediately, and only once', () => {
  const dropped: string[] = []
  const cache = createFileCache(100)
  cache.put(item(dropped, 'a'), 101)
  expect(dropped).toEqual(['a'])
  expect(cache.bytes).toBe(0)
})
