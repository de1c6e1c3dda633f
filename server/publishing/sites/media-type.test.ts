import { expect, it } from 'vitest'
import { isDocument, mediaTypeOf } from './site.ts'

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
