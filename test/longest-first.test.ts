import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { long, longFirst } from './longest-first.ts'

const root = join(import.meta.dirname, '..')

test.each(long)('the long-running test exists: %s', (path) => {
  expect(existsSync(join(root, path))).toBe(true)
})

test('puts long-running tests first and keeps the order otherwise', () => {
  const paths = [
    '/a/test/x.test.ts',
    '/a/test/browser/y.test.ts',
    '/a/server/fuzz.test.ts',
    '/a/test/fuzz/fuzz.long.test.ts',
  ]
  expect(longFirst(paths, '/a', (path) => path)).toEqual([paths[1], paths[3], paths[0], paths[2]])
})
