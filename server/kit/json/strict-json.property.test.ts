// Properties of every body, checked on random ones.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../test/cases.ts'
import { INT64_MAX, INT64_MIN } from './exact-number.ts'
import { JsonSyntaxError } from './json-syntax-error.ts'
import { parseStrictJson } from './strict-json.ts'

const BODY_LIMIT = 64 * 1024

/** The value, or undefined when it is refused; any other error fails the test. */
function tryParse(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes)
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined
    throw error
  }
}

/** As JSON.parse returns it: doubles for bigints, ordinary objects. */
function toOrdinary(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(toOrdinary)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toOrdinary(inner)]))
}

const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'))
const document = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 6 },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', '0', 'constructor')), tie('value'), {
      maxKeys: 6,
    }),
  ),
})).value

test('agrees with JSON.parse on all output of JSON.stringify', () => {
  fc.assert(
    fc.property(document, fc.constantFrom(0, 1, '\t'), (value, indent) => {
      const body = JSON.stringify(value, undefined, indent)
      // Compared as text: the test runner's equality fails for a key named __proto__.
      const strict = JSON.stringify(toOrdinary(parseStrictJson(Buffer.from(body))))
      expect(strict).toBe(JSON.stringify(JSON.parse(body)))
    }),
    { numRuns: runs(1000) },
  )
})

test('agrees with JSON.parse on strings with every code unit escaped', () => {
  fc.assert(
    fc.property(text, (value) => {
      const units = value.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
      const body = `"${units.map((unit) => `\\u${unit}`).join('')}"`
      expect(parseStrictJson(Buffer.from(body))).toBe(value)
    }),
  )
})

test('every int64 round-trips', () => {
  const ends = [INT64_MIN, INT64_MAX, 9007199254740993n, -9007199254740993n, 2n ** 53n, 0n]
  const int64 = fc.oneof(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), fc.constantFrom(...ends))
  fc.assert(
    fc.property(int64, fc.constantFrom('', '.0', '.000', 'e0', 'E+00'), (integer, tail) => {
      const value = parseStrictJson(Buffer.from(`${integer}${tail}`))
      expect(String(value)).toBe(String(integer))
    }),
  )
})

test('random changes to a body never cause another error, and never pass if JSON.parse rejects them', () => {
  const junk = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 4 }),
    fc
      .constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '\\u', 'd83d', '0', '1e', '-', '.')
      .map((token) => new Uint8Array(Buffer.from(token))),
  )
  const change = fc.record({ at: fc.nat(), removed: fc.nat(3), added: junk })
  fc.assert(
    fc.property(document, fc.array(change, { maxLength: 4 }), (value, changes) => {
      let bytes = Buffer.from(JSON.stringify(value))
      for (const { at, removed, added } of changes) {
        const from = at % (bytes.length + 1)
        bytes = Buffer.concat([bytes.subarray(0, from), added, bytes.subarray(from + removed)])
      }
      const strict = tryParse(bytes)
      if (strict !== undefined) expect(() => JSON.parse(bytes.toString())).not.toThrow()
    }),
    { numRuns: runs(3000) },
  )
})

test('random bytes never cause another error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => void tryParse(bytes)),
    { numRuns: runs(2000) },
  )
})

const HOSTILE: Readonly<Record<string, string>> = {
  brackets: '['.repeat(BODY_LIMIT),
  escapes: `"${'\\u0041'.repeat(BODY_LIMIT / 6)}"`,
  'an escaped key': `{"${'\\u0041'.repeat(BODY_LIMIT / 6)}":1}`,
  digits: '9'.repeat(BODY_LIMIT),
  'zeros inside a number': `1${'0'.repeat(BODY_LIMIT - 2)}1`,
  'zeros in a fraction': `0.${'0'.repeat(BODY_LIMIT - 3)}1`,
  'a long exponent': `1e${'9'.repeat(BODY_LIMIT - 2)}`,
  keys: `{${Array.from({ length: 8000 }, (_, index) => `"k${index}":1`).join()}}`,
  'numeric keys': `{${Array.from({ length: 8000 }, (_, index) => `"${index * 7}":1`).join()}}`,
  'line breaks': `${'\n'.repeat(BODY_LIMIT - 1)}x`,
  'replacement characters': `${'\uFFFD'.repeat(BODY_LIMIT / 3)}`,
}

// Linear work takes 1 to 3 ms here; quadratic work on 64 KiB takes seconds.
test.each(Object.entries(HOSTILE))('parses 64 KiB of %s within the time limit', (_, body) => {
  const bytes = Buffer.from(body)
  const start = performance.now()
  tryParse(bytes)
  expect(performance.now() - start).toBeLessThan(3000)
})
