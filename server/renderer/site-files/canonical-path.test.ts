// Which names have a canonical path, and which paths can be in one site together.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../test/cases.ts'
import { hostilePaths } from '../../../test/publishing/hostile-paths.ts'
import { canonicalPath, createPathSet, shownName } from './canonical-path.ts'

describe('canonicalPath', () => {
  it.each([
    ['index.html', 'index.html'],
    ['./index.html', 'index.html'],
    ['a/b/c.html', 'a/b/c.html'],
    ['.well-known/security.txt', '.well-known/security.txt'],
    ['a..b/..c/...d', 'a..b/..c/...d'],
    ['with space/and+plus/100%.html', 'with space/and+plus/100%.html'],
    ['struct.Vec<T>.html?x=1#y', 'struct.Vec<T>.html?x=1#y'],
    ['cafe\u0301.html', 'caf\u00e9.html'],
    ['日本語/ページ.html', '日本語/ページ.html'],
    ['👩\u200d🚀.png', '👩\u200d🚀.png'],
    ['%2e%2e/x', '%2e%2e/x'],
    ['console.html', 'console.html'],
    ['auxiliary/nullable.html', 'auxiliary/nullable.html'],
    ['a'.repeat(255), 'a'.repeat(255)],
    [`${'a/'.repeat(31)}b`, `${'a/'.repeat(31)}b`],
  ])('takes %j', (name, path) => {
    expect(canonicalPath(name)).toEqual({ path })
  })

  it.each(hostilePaths)('refuses %s: %s', (_, path, refusal) => {
    expect(canonicalPath(path)).toEqual({ refused: expect.stringMatching(refusal) })
  })

  it.each([
    ['nothing', '', /empty/],
    ['half a character', 'a\ud800.html', /surrogate/],
    ['a character that was not UTF-8', 'caf\ufffd.html', /not valid UTF-8/],
    ['a trailing slash', 'a/', /empty segment/],
    ['a single dot', '.', /contains "\."/],
    ['dot slash', './', /empty segment/],
    ['two dots and slashes', '././a', /contains "\."/],
    ['dot slash before a drive letter', './a:b', /drive letter/],
    ['a drive letter in NFC', '\u212a:b', /drive letter/],
    ['characters that grow too long in NFC', '\u0958'.repeat(60), /longer than 255 bytes/],
  ])('refuses %s', (_, name, refusal) => {
    expect(canonicalPath(name)).toEqual({ refused: expect.stringMatching(refusal) })
  })

  it('returns its own output unchanged', () => {
    const piece = fc.constantFrom(
      ...['.', '..', '/', '\\', ' ', 'a', 'B', 'é', 'e\u0301', '\0', '．', '\u212a', ':'],
    )
    const name = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(piece).map((all) => all.join('')),
    )
    fc.assert(
      fc.property(name, (text) => {
        const parsed = canonicalPath(text)
        if ('refused' in parsed) return
        expect(canonicalPath(parsed.path)).toEqual(parsed)
        expect(parsed.path.split('/')).not.toContain('..')
        expect(new URL(`http://x/${encodeURI(parsed.path)}`).host).toBe('x')
      }),
      { numRuns: runs(2000) },
    )
  })
})

describe('shownName', () => {
  it('makes invisible characters visible', () => {
    expect(shownName('a\x1b[2J\u202eb\ud800')).toBe('a\\u{1b}[2J\\u{202e}b\\u{d800}')
  })

  it('shortens long names', () => {
    expect(shownName('x'.repeat(10_000))).toHaveLength(201)
  })
})

describe('createPathSet', () => {
  /** What it says of the last path. Those that end with a slash are folders. */
  function lastOf(paths: string): string | undefined {
    const { add } = createPathSet()
    const steps = paths.split(' ')
    return steps
      .map((path) => (path.endsWith('/') ? add(path.slice(0, -1), 'folder') : add(path, 'file')))
      .at(-1)
  }

  it.each([
    ['files of one folder', 'a/b a/c'],
    ['a folder that is given, too', 'a/b a/ a/'],
    ['one name in two folders', 'a/x b/x x'],
    ['a name that is a prefix of another', 'ab a abc/d'],
  ])('accepts %s', (_, paths) => {
    expect(lastOf(paths)).toBeUndefined()
  })

  const differs = (one: string, other: string, how = 'upper and lower case') =>
    `"${one}" and "${other}" differ only in ${how}. Rename one of them.`
  it.each([
    ['a file twice', 'a a', '"a" occurs twice.'],
    ['case', 'a/B a/b', differs('a/B', 'a/b')],
    ['case of a folder', 'A/x a/y', differs('A', 'a')],
    ['case, of a file and a folder', 'A a/y', differs('A', 'a')],
    ['Greek sigmas', 'ΟΔΟΣ οδος', differs('ΟΔΟΣ', 'οδος')],
    ['a Kelvin', '\u212a K', differs('\u212a', 'K', 'the Unicode form of their characters')],
    ['a ligature in capitals', 'ﬁ FI', differs('ﬁ', 'FI')],
    ['a ligature', 'fi ﬁ', differs('fi', 'ﬁ', 'the Unicode form of their characters')],
    ['sharp s', 'straße STRASSE', differs('straße', 'STRASSE')],
    ['a file as a folder', 'a a/b', '"a" is both a file and a folder.'],
    ['a folder as a file', 'a/b/c a/b', '"a/b" is both a file and a folder.'],
  ])('refuses %s', (_, paths, sentence) => {
    expect(lastOf(paths)).toBe(sentence)
  })
})
