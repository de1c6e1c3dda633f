// When the folder around a site is removed.

import { expect, it } from 'vitest'
import { withoutCommonFolder } from './read-archive.ts'

it.each([
  ['one folder around everything', ['site/index.html', 'site/a/b.css'], ['index.html', 'a/b.css']],
  ['a single file', ['site/index.html'], ['index.html']],
  ['only the first of two levels', ['a/b/x', 'a/b/y'], ['b/x', 'b/y']],
  ['no folder, with a file at the root', ['site/a', 'index.html'], ['site/a', 'index.html']],
  ['no folder, with two folders at the root', ['a/x', 'b/x'], ['a/x', 'b/x']],
  ['no folder, with names that share a prefix', ['site/a', 'site2/a'], ['site/a', 'site2/a']],
  ['no hidden folder', ['.well-known/a', '.well-known/b'], ['.well-known/a', '.well-known/b']],
  ['no folder, without files', [], []],
])('cuts %s', (_, paths, expected) => {
  expect(withoutCommonFolder(paths)).toEqual(expected)
})
