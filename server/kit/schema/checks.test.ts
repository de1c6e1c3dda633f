import fc from 'fast-check'
import { type TSchema, Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../test/cases.ts'
import { INT64_MAX, INT64_MIN } from '../json/exact-number.ts'
import { bodyReader, compileValidator } from './checks.ts'
import { maxProblems } from './schema-rules.ts'

const Status = Type.Enum(['available', 'pending', 'sold'], { $id: 'Status', description: 'x' })
const Name = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^(?!\\p{White_Space}*$)\\P{Cc}+$',
  'x-pattern-message': 'must hold something to read',
})
const Int64 = Type.Integer({ format: 'int64', examples: [7] })
const Pet = Type.Object({
  name: Name,
  categoryId: Int64,
  status: Type.Optional({ ...Status, description: 'Availability.' }),
})
const Closed = Type.Object({ a: Type.Optional(Type.Boolean()) }, { additionalProperties: false })
const INT64_NOUN = 'an integer from -9223372036854775808 to 9223372036854775807'
const emoji = '😀'

function messagesOf(schema: TSchema, value: unknown): string[] {
  return compileValidator(schema)(value).map(({ message }) => message)
}

const FITTING: readonly (readonly [schema: TSchema, value: unknown])[] = [
  [Pet, { name: 'Rex', categoryId: 7 }],
  [Pet, { name: 'Rex', categoryId: INT64_MIN, status: 'sold', id: 'ignored', other: [] }],
  [Pet, Object.assign(Object.create(null), { name: 'Rex', categoryId: INT64_MAX })],
  [Name, emoji.repeat(255)],
  [Int64, Number.MAX_SAFE_INTEGER],
  [Type.Integer({ minimum: 1, maximum: 100 }), 100],
  [Type.Integer(), 10n ** 30n],
  [Type.Union([Type.Literal('cat'), Type.Literal('dog')]), 'dog'],
  [Type.Literal(true), true],
  [Type.Union([Type.String(), Type.Null()]), null],
  [Type.Union([Status, Type.Null()]), 'sold'],
  [Type.Boolean(), false],
  [Type.Array(Type.Boolean(), { minItems: 1, maxItems: 2 }), [true, false]],
  [Type.Array(Type.Integer(), { uniqueItems: true }), [1, 2, 10]],
  [Type.String({ format: 'date-time', readOnly: true }), 'x'],
]

type Unfit = readonly [schema: TSchema, value: unknown, messages: string[] | string]

/** A text is what the body as a whole must. */
const UNFIT: readonly Unfit[] = [
  [Pet, {}, ['name is required.', 'categoryId is required.']],
  [
    Pet,
    { name: 5, categoryId: 1.5, status: 'lost' },
    [
      'name must be a string, not a number.',
      `categoryId must be ${INT64_NOUN}, not 1.5.`,
      'status must be one of: available, pending, sold.',
    ],
  ],
  [
    Type.Array(Closed),
    [{ a: true }, { b: 1, ['long name '.repeat(9)]: 2 }],
    [
      '[1].b is not a known field. The fields are: a.',
      '[1]["long name long name long name long name…"] is not a known field. The fields are: a.',
    ],
  ],
  [Pet, [], 'be an object, not an array.'],
  [Pet, null, 'be an object, not null.'],
  [Pet, 'x', 'be an object, not a string.'],
  [Name, '', 'have 1 to 255 characters; it has 0.'],
  [Name, emoji.repeat(256), 'have 1 to 255 characters; it has 256.'],
  [Name, ' \u3000', 'hold something to read.'],
  [Name, 'a\nb', 'hold something to read.'],
  [Type.String(), 'a\0', 'not contain U+0000.'],
  [Type.String({ pattern: '^a$' }), 'b', 'match ^a$.'],
  [Type.String({ minLength: 2 }), 'a', 'have at least 2 characters; it has 1.'],
  [Type.String({ maxLength: 1 }), 'ab', 'have at most 1 character; it has 2.'],
  [Type.String({ minLength: 2, maxLength: 2 }), 'a', 'have exactly 2 characters; it has 1.'],
  [Int64, '1', `be ${INT64_NOUN}, not a string.`],
  [Int64, true, `be ${INT64_NOUN}, not a boolean.`],
  [Int64, INT64_MAX + 1n, `be ${INT64_NOUN}, not 9223372036854775808.`],
  [Int64, INT64_MIN - 1n, `be ${INT64_NOUN}, not -9223372036854775809.`],
  [Int64, 2 ** 63, `be ${INT64_NOUN}, not 9223372036854776000.`],
  [Int64, 10n ** 60n, `be ${INT64_NOUN}.`],
  [Int64, Number.POSITIVE_INFINITY, `be ${INT64_NOUN}.`],
  [Int64, Number.NaN, `be ${INT64_NOUN}.`],
  [Type.Integer(), 1e50, 'be an integer, not 1e+50.'],
  [Type.Integer({ minimum: 1 }), 0, 'be an integer of at least 1, not 0.'],
  [Type.Integer({ maximum: 9 }), 10n, 'be an integer of at most 9, not 10.'],
  [
    Type.Integer({ format: 'int64', minimum: 1 }),
    0,
    'be an integer from 1 to 9223372036854775807, not 0.',
  ],
  [Type.Boolean(), 'true', 'be true or false, not a string.'],
  [Type.Null(), {}, 'be null, not an object.'],
  [Type.Literal('cat'), 'dog', 'be cat.'],
  [Type.Union([Type.String(), Type.Null()]), 1, 'be null or a string, not a number.'],
  [
    Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
    '',
    'have at least 1 character; it has 0.',
  ],
  [Type.Union([Status, Type.Null()]), 'lost', 'be null or one of: available, pending, sold.'],
  [Type.Array(Pet), {}, 'be an array, not an object.'],
  [Type.Array(Pet, { maxItems: 1 }), [1, 2], 'have at most 1 entry; it has 2.'],
  [
    Type.Array(Type.Integer(), { uniqueItems: true }),
    [1, 2, 1, 2n],
    ['[2] repeats [0]; keep one of them.', '[3] repeats [1]; keep one of them.'],
  ],
  [
    Type.Array(Type.Object({ a: Type.Integer() }), { uniqueItems: true }),
    JSON.parse('[{"a":1,"b":2},{"b":2,"a":1}]'),
    ['[1] repeats [0]; keep one of them.'],
  ],
  [
    Type.Object({ items: Type.Array(Pet, { minItems: 3 }) }),
    { items: [{ name: 'Rex', categoryId: 1 }, { name: 'a' }] },
    ['items must have at least 3 entries; it has 2.', 'items[1].categoryId is required.'],
  ],
  [
    Type.Object({ constructor: Type.String(), toString: Type.String() }),
    {},
    ['constructor is required.', 'toString is required.'],
  ],
]

describe('compileValidator', () => {
  test.each(FITTING)('%j accepts %s', (schema, value) => {
    expect(messagesOf(schema, value)).toEqual([])
  })

  test.each(UNFIT)('%j refuses %s', (schema, value, messages) => {
    const expected = typeof messages === 'string' ? [`The body must ${messages}`] : messages
    expect(messagesOf(schema, value)).toEqual(expected)
  })

  test('reports the path of the member in each problem', () => {
    const validate = compileValidator(Type.Object({ items: Type.Array(Pet) }))
    const value = { items: [{ name: 1, categoryId: 1 }] }
    expect(validate(value).map(({ path }) => path)).toEqual(['items[0].name'])
  })

  test('limits the number of problems', () => {
    const problems = compileValidator(Type.Array(Type.Boolean()))(Array(50_000).fill(1))
    expect(problems).toHaveLength(maxProblems + 1)
    expect(problems.at(-1)?.message).toBe('There are more problems; these are the first 100.')
    const exactly = compileValidator(Type.Array(Type.Boolean()))(Array(maxProblems).fill(1))
    expect(exactly).toHaveLength(maxProblems)
  })

  test('does not run a quadratic pattern on a string that is too long', () => {
    const slow = Type.String({ maxLength: 255, pattern: '^[^!]*[^!?][^!]*$' })
    const start = performance.now()
    expect(messagesOf(slow, `${'a'.repeat(60_000)}!`)).toHaveLength(1)
    expect(performance.now() - start).toBeLessThan(300)
  })
})

describe('a schema outside the subset throws', () => {
  test.each<readonly [sentence: string, schema: TSchema]>([
    ['the keyword "multipleOf" is not supported here', Type.Integer({ multipleOf: 2 })],
    [
      'Schema a[].b: the type "number"',
      Type.Object({ a: Type.Array(Type.Object({ b: Type.Number() })) }),
    ],
    ['additionalProperties must be false', Type.Object({}, { additionalProperties: true })],
    ['"minimum"', { type: 'string', minimum: 1 }],
    ['"maxLenght"', { type: 'string', maxLenght: 1 }],
    ['the type undefined', { allOf: [] }],
    ['the type ["string","null"]', { type: ['string', 'null'] }],
    ['a format is only an annotation', Type.String({ format: 'date-time' })],
    ['the integer format "int32"', Type.Integer({ format: 'int32' })],
    ['maximum must be a safe integer', Type.Integer({ maximum: 2 ** 63 })],
    ['minLength must be a whole number', Type.String({ minLength: -1 })],
    ['"b" is required and is no property', { type: 'object', properties: {}, required: ['b'] }],
    ['a schema is missing', { type: 'array' }],
    ['the type undefined', Type.Ref('Status')],
    ['anyOf must hold', Type.Union([Type.String(), Type.Integer()])],
    ['not all literals', { type: 'integer', enum: ['a'] }],
    ['enum and const must give', { enum: [[]] }],
    ['Invalid regular expression', Type.String({ pattern: '(' })],
  ])('%s', (sentence, schema) => {
    expect(() => compileValidator(schema)).toThrow(sentence)
  })
})

describe('bodyReader', () => {
  test('keeps only the members that the schema lists, at any depth', () => {
    const pick = bodyReader(
      Type.Object({ pets: Type.Array(Pet), best: Type.Union([Pet, Type.Null()]) }),
    )
    const pet = { name: 'Rex', categoryId: 7n, id: 3, constructor: 1 }
    expect(pick({ pets: [pet], best: { ...pet, status: 'sold' }, x: 1 })).toStrictEqual({
      pets: [{ name: 'Rex', categoryId: 7n }],
      best: { name: 'Rex', categoryId: 7n, status: 'sold' },
    })
    expect(pick({ pets: [], best: null })).toStrictEqual({ pets: [], best: null })
  })
})

test('the validator returns for any value, and a picked valid value stays valid', () => {
  const validate = compileValidator(Pet)
  const pick = bodyReader<object>(Pet)
  const member = fc.oneof(fc.anything({ withBigInt: true }), fc.string(), fc.bigInt(), fc.integer())
  const status = fc.oneof(fc.constantFrom('available', 'pending', 'sold'), member)
  const pet = fc.record(
    { name: member, categoryId: member, status, id: member },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(pet, fc.anything()), (value) => {
      const problems = validate(value)
      for (const { path, message } of problems) {
        expect(message.startsWith(path === '' ? 'The body ' : `${path} `)).toBe(true)
        expect(message.length).toBeLessThan(200)
      }
      if (problems.length > 0) return
      const picked = pick(value)
      expect(validate(picked)).toEqual([])
      expect(['name', 'categoryId', 'status']).toEqual(expect.arrayContaining(Object.keys(picked)))
    }),
    { numRuns: runs(1000) },
  )
})

test('int64 accepts a bigint exactly when it fits in 64 bits', () => {
  const validate = compileValidator(Int64)
  fc.assert(
    fc.property(fc.bigInt({ min: INT64_MIN * 2n, max: INT64_MAX * 2n }), (integer) => {
      expect(validate(integer).length === 0).toBe(BigInt.asIntN(64, integer) === integer)
    }),
  )
})
