import { describe, expect, test } from 'vitest'
import { INT64_MAX, INT64_MIN, MAX_EXACT_DIGITS, toExactNumber } from './exact-number.ts'

describe('toExactNumber', () => {
  test.each<readonly [string, number | bigint]>([
    ['0', 0],
    ['-0', 0],
    ['-0.00e5', 0],
    ['0e999999999', 0],
    ['0e-5', 0],
    ['-0e9999', 0],
    ['1.0', 1],
    ['1e3', 1000],
    ['10e-1', 1],
    ['1200e-2', 12],
    ['-1.5e1', -15],
    ['0.00070e4', 7],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['-9007199254740993', -9007199254740993n],
    ['9.223372036854775807e18', INT64_MAX],
    ['-9223372036854775808', INT64_MIN],
    ['9223372036854775808', 2n ** 63n],
    ['9'.repeat(MAX_EXACT_DIGITS), BigInt('9'.repeat(MAX_EXACT_DIGITS))],
    ['1e39', 10n ** 39n],
    ['1e40', 1e40],
    ['1e999999', Number.POSITIVE_INFINITY],
    [`-1e${'9'.repeat(400)}`, Number.NEGATIVE_INFINITY],
    ['1.5', 1.5],
    ['15e-1', 1.5],
    ['1e-7', 1e-7],
  ])('%s', (literal, value) => {
    expect(toExactNumber(literal)).toBe(value)
  })

  test.each([
    '1.00000000000000000001',
    '9007199254740993.5',
    '1e-400',
    `1e-${'9'.repeat(400)}`,
    '-0.99999999999999999999',
  ])('%s does not turn into an integer', (literal) => {
    expect(toExactNumber(literal)).toBeNaN()
  })

  test.each(['', '1.', '.5', '+1', '0x10', 'NaN', '1 '])('%j is not a literal', (literal) => {
    expect(() => toExactNumber(literal)).toThrow(TypeError)
  })
})
