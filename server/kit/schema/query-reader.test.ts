import fc from 'fast-check'
import { type TSchema, Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../test/cases.ts'
import type { AppError, Problem } from '../errors.ts'
import { INT64_MAX, INT64_MIN } from '../json/exact-number.ts'
import { queryReader, splitQuery } from './query-reader.ts'

const Status = Type.Enum(['available', 'pending', 'sold'], { $id: 'Status' })
const Query = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
  status: Type.Optional(Status),
  id: Type.Optional(
    Type.Array(Type.Integer({ format: 'int64' }), {
      ...{ minItems: 1, maxItems: 3, style: 'form', explode: false },
    }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 5, pattern: '^\\P{Cc}*$' })),
})
const read = queryReader(Query)
const problemsOf = (read: (query: string) => unknown, query: string): Problem[] => {
  try {
    read(query)
    return []
  } catch (error) {
    return (error as AppError).details as Problem[]
  }
}
const LIMIT = 'limit must be an integer from 1 to 100.'
const encoded = (what: string) =>
  `${what} must be percent-encoded UTF-8; write a percent sign itself as %25.`
const ID =
  'id must be a list of 1 to 3 entries separated by commas, each an integer from ' +
  `${INT64_MIN} to ${INT64_MAX}.`

describe('a valid query', () => {
  test.each<readonly [query: string, value: object]>([
    ['', { limit: 20 }],
    ['&&', { limit: 20 }],
    ['limit=1', { limit: 1 }],
    ['limit=100&status=sold', { limit: 100, status: 'sold' }],
    ['%6Cimit=%37', { limit: 7 }],
    ['utm_source=mail&utm_source=2&_=17', { limit: 20 }],
    ['id=1&id=2,3', { limit: 20, id: [1, 2, 3] }],
    ['__proto__=1', { limit: 20 }],
    ['id=1,2,1', { limit: 20, id: [1, 2] }],
    ['id=1%2C-2', { limit: 20, id: [1, -2] }],
    ['id=1,1,1,1,-0,0', { limit: 20, id: [1, 0] }],
    [`id=${INT64_MIN},${INT64_MAX}`, { limit: 20, id: [INT64_MIN, INT64_MAX] }],
    ['id=9007199254740993', { limit: 20, id: [9007199254740993n] }],
    ['cursor=a+b%2B=', { limit: 20, cursor: 'a b+=' }],
    ['cursor=%F0%9F%98%80', { limit: 20, cursor: '😀' }],
  ])('%j', (query, value) => {
    expect(read(query)).toStrictEqual(value)
  })
})

describe('an invalid query', () => {
  test.each<readonly [query: string, path: string, message: string]>([
    ['limit=0', 'limit', LIMIT],
    ['limit=101', 'limit', LIMIT],
    ['limit=+5', 'limit', LIMIT],
    ['limit=%2B5', 'limit', LIMIT],
    ['limit=05', 'limit', LIMIT],
    ['limit=1.0', 'limit', LIMIT],
    ['limit=%205', 'limit', LIMIT],
    ['limit=5e0', 'limit', LIMIT],
    ['limit=0x5', 'limit', LIMIT],
    ['limit=5%0A', 'limit', LIMIT],
    ['limit=%D9%A5', 'limit', LIMIT],
    ['limit=', 'limit', 'limit must not be empty; leave it out or give an integer from 1 to 100.'],
    ['limit', 'limit', 'limit must not be empty; leave it out or give an integer from 1 to 100.'],
    ['limit=5&limit=5', 'limit', 'limit must appear once; it appears 2 times.'],
    ['limit=5&%6cimit=%', 'limit', 'limit must appear once; it appears 2 times.'],
    ['limit=%', 'limit', encoded('limit')],
    ['cursor=%ED%A0%80', 'cursor', encoded('cursor')],
    ['x=%zz', '', encoded('The query')],
    ['%zz=1', '', encoded('The query')],
    ['status=lost', 'status', 'status must be one of: available, pending, sold.'],
    ['status=Sold', 'status', 'status must be one of: available, pending, sold.'],
    ['id=1,', 'id', ID],
    ['id=1,2,3,4', 'id', ID],
    ['id=1,%202', 'id', ID],
    [`id=${INT64_MAX + 1n}`, 'id', ID],
    ['cursor=123456', 'cursor', 'cursor must have at most 5 characters; it has 6.'],
    ['cursor=%00', 'cursor', 'cursor must match ^\\P{Cc}*$.'],
  ])('%j', (query, path, message) => {
    expect(problemsOf(read, query)).toEqual([{ path, message }])
  })

  test('reports all problems together', () => {
    const paths = problemsOf(read, 'cursor=&limit=x&status=').map(({ path }) => path)
    expect(paths).toEqual(['limit', 'status', 'cursor'])
  })

  test('a required parameter without a default', () => {
    const readRequired = queryReader(Type.Object({ q: Type.String() }))
    expect(problemsOf(readRequired, '')).toEqual([{ path: 'q', message: 'q is required.' }])
    expect(problemsOf(readRequired, 'q=')).toEqual([
      { path: 'q', message: 'q must not be empty; give a string.' },
    ])
  })
})

describe('an unsupported schema throws', () => {
  test.each<readonly [sentence: string, schema: TSchema]>([
    ['a query needs an object schema', Type.String()],
    ['a query parameter cannot be true or false', Type.Object({ a: Type.Boolean() })],
    ['a query parameter cannot be one of: 1, 2', Type.Object({ a: Type.Enum([1, 2]) })],
    ['a query parameter cannot be a string', Type.Object({ a: Type.Array(Type.String()) })],
    ['written with commas', Type.Object({ a: Type.Array(Type.Integer(), { explode: true }) })],
    ['the default: a must be', Type.Object({ a: Type.Integer({ maximum: 1, default: 2 }) })],
    ['"minProperties"', Type.Object({}, { minProperties: 1 })],
  ])('%s', (sentence, schema) => {
    expect(() => queryReader(schema)).toThrow(sentence)
  })
})

test('reads any query without an error, and each problem names a parameter of it or the query', () => {
  const token = fc.constantFrom(
    ...['limit', 'id', 'cursor', '=', '&', '%', '%2', '+', ',', '1', '-', 'é'],
  )
  const query = fc.array(fc.oneof(token, fc.string({ unit: 'binary' })), { maxLength: 12 })
  fc.assert(
    fc.property(query, (parts) => {
      const text = parts.join('')
      const pairs = splitQuery(text)
      for (const { path } of problemsOf(read, text)) {
        const isNamed = path.endsWith('…') || pairs.some(([name]) => name === path)
        expect(path === '' || isNamed).toBe(true)
      }
    }),
    { numRuns: runs(300) },
  )
})

test('decodes what URLSearchParams encodes', () => {
  const readText = queryReader<{ q: string }>(Type.Object({ q: Type.String() }))
  const text = fc.string({ unit: 'binary', minLength: 1 }).filter((q) => !q.includes('\0'))
  fc.assert(
    fc.property(text, (q) => {
      const query = new URLSearchParams({ _: q, q }).toString()
      expect(readText(query)).toEqual({ q })
    }),
  )
})

describe('pairs', () => {
  test.each([
    ['', '[]'],
    ['a=1&&b', '[["a","1"],["b",""]]'],
    ['a=b=c&=d', '[["a","b=c"],["","d"]]'],
    ['a+b=%20+', '[["a b","  "]]'],
    ['%E9=1', '[["%E9",null]]'],
    ['a=%E9&a=%', '[["a",null],["a",null]]'],
  ])('%j', (query, pairs) => {
    expect(JSON.stringify(splitQuery(query))).toBe(pairs)
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
})
