import { expect, test } from 'vitest'
import { describe } from './plain-text.ts'

const words = 'word '.repeat(60)

test.each([
  ['  Short\n text ', 'Short text'],
  ['Put this in the file:', 'Put this in the file'],
  [
    `A first sentence that is long enough to stand by itself alone. ${words}`,
    'A first sentence that is long enough to stand by itself alone.',
  ],
  [words, `${'word '.repeat(31)}word…`],
  ['x'.repeat(200), `${'x'.repeat(60)}…`],
])('%s', (text, expected) => {
  expect(describe(text)).toBe(expected)
  expect(describe(text).length).toBeLessThanOrEqual(161)
})
