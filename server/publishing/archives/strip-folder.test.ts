// When the folder around a site is cut.

import { expect, it } from 'vitest'
import { withoutCommonFolder } from './read-archive.ts'

it.each([
  ['one folder around everything', ['site/index.html', 'site/a/b.css'], ['index.html', 'a/b.css']],
  ['a single file', ['site/index.html'], ['index.html']],
  ['only the first of two levels', ['a/b/x', 'a/b/y'], ['b/x', 'b/y']],
  ['nothing, with a file at the root', ['site/a', 'index.html'], ['site/a', 'index.html']],
  ['nothing, of two folders', ['a/x', 'b/x'], ['a/x', 'b/x']],
  ['nothing, of names that begin alike', ['site/a', 'site2/a'], ['site/a', 'site2/a']],
  ['no hidden folder', ['.well-known/a', '.well-known/b'], ['.well-known/a', '.well-known/b']],
  ['nothing of nothing', [], []],
])('cuts %s', (_, paths, expected) => {
  expect(withoutCommonFolder(paths)).toEqual(expected)
})
