// The two tiers lose no promise: a file of the long tier names the short test of the same promise in its first lines.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cases, isLong } from './cases.ts'
import { missingFor, needs } from './needs.ts'

const root = join(import.meta.dirname, '..')
const paths = globSync('{bench,dashboard,lab,server,test}/**/*.test.ts', {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
})

it('every *.long.test.ts names an existing short test file in its first lines', () => {
  const long = paths.filter((path) => path.endsWith('.long.test.ts'))
  const without = long.filter((path) => {
    const [head = ''] = readFileSync(join(root, path), 'utf8').split(/^(?!\/\/)/m)
    const named = head.match(/\b[\w./-]+\.test\.ts\b/g) ?? []
    return !named.some((name) => !name.endsWith('.long.test.ts') && existsSync(join(root, name)))
  })
  expect(without).toEqual([])
})

it('gives the first rows, or the marked ones, to the short tier', () => {
  const rows = ['a', 'b', 'c']
  expect(cases(rows)).toEqual(isLong ? rows : ['a'])
  expect(cases(rows, (row) => row !== 'a')).toEqual(isLong ? rows : ['b', 'c'])
})

it.each(needs)('the tests that need $name are found', ({ name, tests }) => {
  const named = (path: string) => readFileSync(join(root, path), 'utf8').match(/'.*?'|`.*?`/g) ?? []
  const found = paths.filter((path) =>
    typeof tests === 'string'
      ? missingFor(path, '', new Set([name]))
      : ['', ...named(path)].some((text) => missingFor(path, text, new Set([name]))),
  )
  expect(found).not.toEqual([])
  expect(found.length).toBeLessThan(paths.length / 2)
})
