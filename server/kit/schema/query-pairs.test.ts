import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../test/cases.ts'
import { type QueryPair, splitQuery } from './query-pairs.ts'

test.each<readonly [query: string, pairs: QueryPair[]]>([
  ['', []],
  [
    'a=1&&b',
    [
      ['a', '1'],
      ['b', ''],
    ],
  ],
  [
    'a=b=c&=d',
    [
      ['a', 'b=c'],
      ['', 'd'],
    ],
  ],
  ['a+b=%20+', [['a b', '  ']]],
  ['%E9=1', [['%E9', undefined]]],
  [
    'a=%E9&a=%',
    [
      ['a', undefined],
      ['a', undefined],
    ],
  ],
])('%j', (query, pairs) => {
  expect(splitQuery(query)).toEqual(pairs)
})

test('agrees with URLSearchParams when the encoding is valid', () => {
  const part = fc.oneof(
    fc.constantFrom('&', '=', '+', '%41', '%C3%A9'),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
      const query = parts.join('').replaceAll(/%(?![\dA-F]{2})|^\?/g, '')
      const pairs = splitQuery(query)
      if (pairs.some(([, value]) => value === undefined)) return
      expect(pairs).toEqual([...new URLSearchParams(query)])
    }),
    { numRuns: runs(200) },
  )
})
