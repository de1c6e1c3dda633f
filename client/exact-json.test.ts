// Every int64 survives the way there and back.
import { expect, it } from 'vitest'
import { parseExactJson, writeExactJson } from './exact-json.ts'

it.each([
  ['{"categoryId":9223372036854775807}', { categoryId: 9223372036854775807n }],
  ['[-9223372036854775808,9007199254740991]', [-9223372036854775808n, Number.MAX_SAFE_INTEGER]],
  ['{"name":"\\u0001integer 5","n":1.5}', { name: '\u0001integer 5', n: 1.5 }],
])('%s', (text, value) => {
  expect(parseExactJson(text)).toEqual(value)
  expect(writeExactJson(value)).toBe(text)
})
