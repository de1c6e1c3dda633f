import { expect, it } from 'vitest'
import {
  type CachedFile,
  chooseStoredEncoding,
  createFileCache,
  isDocument,
  mediaTypeOf,
} from './site.ts'

it.each([
  ['index.html', 'text/html; charset=utf-8'],
  ['INDEX.HTML', 'text/html; charset=utf-8'],
  ['a/b.css', 'text/css; charset=utf-8'],
  ['a.js', 'text/javascript; charset=utf-8'],
  ['a.mjs', 'text/javascript; charset=utf-8'],
  ['a.json', 'application/json; charset=utf-8'],
  ['a.js.map', 'application/json; charset=utf-8'],
  ['site.webmanifest', 'application/manifest+json; charset=utf-8'],
  ['sitemap.xml', 'application/xml; charset=utf-8'],
  ['feed.atom', 'application/atom+xml; charset=utf-8'],
  ['a.svg', 'image/svg+xml; charset=utf-8'],
  ['llms.txt', 'text/plain; charset=utf-8'],
  ['a.md', 'text/markdown; charset=utf-8'],
  ['a.png', 'image/png'],
  ['a.woff2', 'font/woff2'],
  ['a.wasm', 'application/wasm'],
  ['a.pdf', 'application/pdf'],
  ['a.tar.gz', 'application/gzip'],
  ['a.unknown', 'application/octet-stream'],
  ['LICENSE', 'application/octet-stream'],
  // Names, not extensions.
  ['html', 'application/octet-stream'],
  ['a/svg', 'application/octet-stream'],
  ['.html', 'application/octet-stream'],
  ['a.html/b', 'application/octet-stream'],
])('%s is %s', (path, type) => expect(mediaTypeOf(path)).toBe(type))

it('treats types that a browser opens as a page as HTML', () => {
  expect(['a.html', 'a.htm', 'a.xhtml', 'a.svg', 'a.xml'].map(mediaTypeOf).every(isDocument)).toBe(
    true,
  )
  expect(['a.png', 'a.txt', 'a.js', 'a.json'].map(mediaTypeOf).some(isDocument)).toBe(false)
})

const both = { gzip: true, br: true }
const onlyGzip = { gzip: true, br: false }
const onlyBr = { gzip: false, br: true }
const none = { gzip: false, br: false }

it.each([
  [undefined, both, 'identity'],
  ['', both, 'identity'],
  ['gzip, deflate, br, zstd', both, 'br'],
  ['gzip, deflate, br, zstd', onlyGzip, 'gzip'],
  ['gzip, deflate, br, zstd', onlyBr, 'br'],
  ['gzip, deflate, br, zstd', none, 'identity'],
  ['gzip', both, 'gzip'],
  ['GZIP', both, 'gzip'],
  ['gzip', onlyBr, 'identity'],
  ['br', onlyGzip, 'identity'],
  ['br;q=0.5, gzip', both, 'gzip'],
  ['br;q=0.5, gzip', onlyBr, 'br'],
  ['br;q=0, gzip;q=0', both, 'identity'],
  ['br;q=0, *', both, 'gzip'],
  ['br;q=0, *', onlyBr, 'identity'],
  ['*', both, 'br'],
  ['*', onlyGzip, 'gzip'],
  ['*;q=0', both, 'identity'],
  ['identity', both, 'identity'],
  ['identity;q=1, gzip;q=0.2, br;q=0.1', both, 'identity'],
  ['identity;q=0.5, gzip;q=0.9, br;q=0.1', onlyBr, 'identity'],
  ['zstd, deflate', both, 'identity'],
  [';;q=,,,', both, 'identity'],
] as const)('%s of %o is %s', (field, there, expected) => {
  expect(chooseStoredEncoding(field, there)).toBe(expected)
})

/** A cache of 100 bytes, and the names of its entries that were dropped. */
function smallCache() {
  const dropped: string[] = []
  const item = (name: string): CachedFile => {
    return { isUsed: false, bytes: 0, drop: () => void dropped.push(name) }
  }
  return { cache: createFileCache(100), dropped, item }
}

it('stays within its limit, and evicts the oldest entry first', () => {
  const { cache, dropped, item } = smallCache()
  for (const name of ['a', 'b', 'c', 'd']) cache.put(item(name), 30)
  expect(dropped).toEqual(['a'])
  expect(cache.bytes).toBe(90)
})

it('keeps an entry that was used once more, then evicts it', () => {
  const { cache, dropped, item } = smallCache()
  const [a, b, c] = [item('a'), item('b'), item('c')]
  for (const one of [a, b, c]) cache.put(one, 30)
  a.isUsed = true
  c.isUsed = true
  cache.put(item('d'), 30)
  expect(dropped).toEqual(['b'])
  cache.put(item('e'), 30)
  expect(dropped).toEqual(['b', 'd'])
  cache.put(item('f'), 30)
  expect(dropped).toEqual(['b', 'd', 'a'])
})

it('grows only existing entries, and returns whether the entry exists', () => {
  const { cache, dropped, item } = smallCache()
  const [a, b] = [item('a'), item('b')]
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
  const { cache, dropped, item } = smallCache()
  cache.put(item('a'), 101)
  expect(dropped).toEqual(['a'])
  expect(cache.bytes).toBe(0)
})
