import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addressOf, readTarget } from './requested-path.ts'

// The others are requested in test/sites/addresses.test.ts.
it.each([
  ['/a?b/../c', { path: 'a', query: '?b/../c' }],
  ['/a?b?c', { path: 'a', query: '?b?c' }],
  ['/a?', { path: 'a', query: '?' }],
  ['/a#b', { path: 'a', query: '' }],
  ['/a#b?c', { path: 'a', query: '' }],
  ['/a?b#c', { path: 'a', query: '?b' }],
  ['/...', { path: '...', query: '' }],
  ['/a..b/.c', { path: 'a..b/.c', query: '' }],
  ['/é', 'malformed'],
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
