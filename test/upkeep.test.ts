// No deletion of old rows is forgotten: each is named by another part of the program, its room's list.
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('names everything that deletes old rows in a list of upkeep', () => {
  const files = globSync('server/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  const texts = files.map((file) => readFileSync(file, 'utf8'))
  const names = texts.flatMap((text) =>
    [...text.matchAll(/const (\w+)(?:: Upkeep)? = (?:oldRowsOf<|async \(database, now\))/g)].map(
      ([, name = '']) => name,
    ),
  )
  expect(names.length).toBeGreaterThan(12)
  const uses = (name: string) =>
    texts.reduce(
      (sum, text) => sum + [...text.matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length,
      0,
    )
  expect(names.filter((name) => uses(name) < 2)).toEqual([])
})
