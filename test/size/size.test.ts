// The size of the program: what counts as a line of code, and that each room stays within its budget.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { countLines } from './count-lines.ts'
import { rooms, sizeOfRooms } from './rooms.ts'
import { readSources } from './sources.ts'

it.each([
  ['a.ts', '// one\n\nlet a = 1 // two\n/** three\n * four */\nlet b = 2\n/* five */ let c\n', 3],
  ['a.tsx', '<div>\n{/* one */}\n{/*\n two\n*/}\n</div>\n', 2],
  ['a.css', '/* one */\na {\n  b: c; /* two\n}\n', 3],
  ['a.html', '<!-- one\n two -->\n<p>\n', 1],
  ['a.sql', '-- one\nselect 1; -- two\n', 1],
  ['a.sh', '#!/bin/sh\n# one\necho # two\n', 1],
  ['animal-store', '#!/bin/sh\n\nexec node\n', 1],
])('counts the lines of code of %s', (path, text, lines) => {
  expect(countLines(path, text)).toBe(lines)
})

it('each room stays within its budget of lines', () => {
  const sizes = sizeOfRooms(readSources(join(import.meta.dirname, '../..')))
  const over = rooms.filter(({ name, budget }) => (sizes.get(name)?.lines ?? 0) > budget)
  expect(over.map(({ name, budget }) => [name, sizes.get(name)?.lines, budget])).toEqual([])
})
