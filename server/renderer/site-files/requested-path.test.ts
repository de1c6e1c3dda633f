import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addressOf, readTarget } from './requested-path.ts'

it.each([
  ['/', { path: '', query: '' }],
  ['/a/b', { path: 'a/b', query: '' }],
  ['/a/', { path: 'a/', query: '' }],
  ['/a?b/../c', { path: 'a', query: '?b/../c' }],
  ['/a?b?c', { path: 'a', query: '?b?c' }],
  ['/a?', { path: 'a', query: '?' }],
  ['/a#b', { path: 'a', query: '' }],
  ['/a#b?c', { path: 'a', query: '' }],
  ['/a?b#c', { path: 'a', query: '?b' }],
  ['/%2561', { path: '%61', query: '' }],
  ['/e%CC%81', { path: 'é', query: '' }],
  ['/...', { path: '...', query: '' }],
  ['/a..b/.c', { path: 'a..b/.c', query: '' }],
  ['/é', 'malformed'],
  ['/%', 'malformed'],
  ['//', 'nowhere'],
  ['/a//b', 'nowhere'],
  ['/..', 'nowhere'],
  ['/%2e%2e/a', 'nowhere'],
  ['/a%2fb', 'nowhere'],
  ['/a%5Cb', 'nowhere'],
  ['/a%00', 'nowhere'],
])('%s', (target, expected) => expect(readTarget(target)).toEqual(expected))

it('the address of any parsed path has one leading slash and parses to the same path', () => {
  const check = (target: string): void => {
    const read = readTarget(`/${target}`)
    if (typeof read === 'string') return
    const address = addressOf(read.path)
    expect(address).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/)
    expect(address).not.toMatch(/[?#\\]/)
    expect(readTarget(address)).toEqual({ path: read.path, query: '' })
  }
  fc.assert(fc.property(fc.webPath(), check))
  fc.assert(fc.property(fc.string(), check))
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => check(encodeURIComponent(text))))
})
