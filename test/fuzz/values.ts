// Values that a schema allows and values that it forbids, as JSON and as text of a query parameter.
import fc, { type Arbitrary } from 'fast-check'
import type { ApiDocument, Schema } from './api-document.ts'

const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n }

/** JSON texts that the schema allows. For members in `known`, an object uses those values. */
export function validJson(
  document: ApiDocument,
  given: Schema,
  known: Record<string, Arbitrary<string>> = {},
): Arbitrary<string> {
  const schema = document.resolve(given)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => validJson(document, one)))
  if (schema.enum) return fc.constantFrom(...schema.enum).map((value) => JSON.stringify(value))
  switch (schema.type) {
    case 'integer':
      return validInteger(schema)
    case 'string':
      return fc.tuple(validString(schema), fc.boolean()).map(writeString)
    case 'null':
      return fc.constant('null')
    case 'object':
      return validObject(document, schema, known)
    default:
      throw new Error(`the fuzzer does not support ${schema.type}`)
  }
}

/** Well-formed JSON texts that the schema forbids. */
export function invalidJson(document: ApiDocument, given: Schema): Arbitrary<string> {
  const schema = document.resolve(given)
  if (schema.anyOf) return invalidUnion(document, schema.anyOf)
  if (schema.enum) {
    const known = new Set(schema.enum)
    const others = fc.constantFrom('', 'Available', 'sold ', 'unknown', 'null', 'available,sold')
    const words = fc.oneof(others, fc.string()).filter((word) => !known.has(word))
    return fc.oneof(
      words.map((word) => JSON.stringify(word)),
      otherTypes('string'),
    )
  }
  switch (schema.type) {
    case 'integer':
      return invalidInteger(schema)
    case 'string':
      return fc.oneof(
        fc.tuple(invalidString(schema), fc.constant(false)).map(writeString),
        otherTypes('string'),
      )
    case 'object':
      return invalidObject(document, schema)
    default:
      throw new Error(`the fuzzer does not support ${schema.type}`)
  }
}

/** Texts of a query parameter that the schema allows, not yet encoded. */
export function validText(document: ApiDocument, given: Schema): Arbitrary<string> {
  const schema = document.resolve(given)
  if (schema.enum) return fc.constantFrom(...(schema.enum as string[]))
  if (schema.type === 'integer') return integers(schema).map(String)
  if (schema.type !== 'array')
    throw new Error(`the fuzzer does not support ${schema.type} in a query`)
  const { items = {}, minItems = 0, maxItems = 100 } = schema
  const near = fc.integer({ min: 1, max: 60 }).map(String)
  const item = fc.oneof(near, validText(document, items))
  return fc
    .oneof(
      { weight: 9, arbitrary: fc.array(item, { minLength: minItems, maxLength: 5 }) },
      { weight: 1, arbitrary: fc.array(item, { minLength: maxItems, maxLength: maxItems }) },
    )
    .map((list) => list.join())
}

/** Texts of a query parameter that the schema forbids. */
export function invalidText(document: ApiDocument, given: Schema): Arbitrary<string> {
  const schema = document.resolve(given)
  if (schema.enum) {
    const known = schema.enum
    return fc
      .oneof(fc.constantFrom('', 'SOLD', ' sold', 'sold,pending', '0'), fc.string())
      .filter((word) => !known.includes(word))
  }
  if (schema.type === 'integer') {
    const { min, max } = boundsOf(schema)
    const beyond = [max + 1n, min - 1n, 10n ** 30n].map(String)
    const forms = [
      '',
      ' ',
      '+5',
      '05',
      '1.0',
      '1e1',
      '0x10',
      '-',
      '--1',
      '1 ',
      'one',
      '٣',
      'NaN',
      '5;',
    ]
    return fc.oneof(
      // Off-by-one errors are the most likely mistakes.
      { weight: 3, arbitrary: fc.constantFrom(...beyond) },
      fc.constantFrom(...forms),
      fc.string().filter((text) => !/^-?(0|[1-9]\d*)$/.test(text)),
    )
  }
  if (schema.type === 'array') {
    const { items = {}, maxItems = 100 } = schema
    const tooMany = Array.from({ length: maxItems + 1 }, (_, n) => n + 1).join()
    const wrongItem = invalidText(document, items).filter((text) => !text.includes(','))
    const withWrongItem = fc.tuple(validText(document, schema), wrongItem, fc.boolean())
    return fc.oneof(
      fc.constantFrom('', ',', tooMany),
      withWrongItem.map(([right, wrong, isFirst]) =>
        (isFirst ? [wrong, right] : [right, wrong]).join(),
      ),
    )
  }
  const { maxLength = 200 } = schema
  return fc.oneof(fc.constantFrom('', 'x'.repeat(maxLength + 1), 'YWsx'), fc.string())
}

interface Bounds {
  min: bigint
  max: bigint
}

function boundsOf({ minimum, maximum }: Schema): Bounds {
  return {
    min: minimum === undefined ? int64.min : BigInt(minimum),
    max: maximum === undefined ? int64.max : BigInt(maximum),
  }
}

function integers(schema: Schema): Arbitrary<bigint> {
  const { min, max } = boundsOf(schema)
  const edges = [min, min + 1n, max - 1n, max, 0n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n]
  const within = edges.filter((edge) => edge >= min && edge <= max)
  return fc.oneof(fc.constantFrom(...within), fc.bigInt({ min, max }))
}

/** Includes 5.0, 50e-1 and 5E0, which are the integer 5. */
function validInteger(schema: Schema): Arbitrary<string> {
  const { min, max } = boundsOf(schema)
  const forms = fc.constantFrom(
    (n: bigint) => `${n}`,
    (n: bigint) => `${n}.0`,
    (n: bigint) => `${n}.000e+0`,
    (n: bigint) => (n === 0n ? '0e-1' : `${n}0e-1`),
    (n: bigint) => `${n}E0`,
  )
  const written = fc.tuple(integers(schema), forms).map(([n, write]) => write(n))
  const round = fc.constantFrom(
    '1e3',
    '-0',
    '1.5e1',
    '9.007199254740993e15',
    '9223372036854775807e0',
  )
  const fitting = round.filter((text) => min < -1n || (Number(text) >= min && Number(text) <= max))
  return fc.oneof({ weight: 4, arbitrary: written }, { weight: 1, arbitrary: fitting })
}

function invalidInteger(schema: Schema): Arbitrary<string> {
  const { min, max } = boundsOf(schema)
  const beyond = [max + 1n, min - 1n].map(String)
  return fc.oneof(
    fc.constantFrom(...beyond),
    fc.constantFrom('1.5', '0.1', '1e19', '-1e19', '1e400', '1e-1', '922337203685477580.75e1'),
    fc.bigInt({ min: max + 1n, max: max * 100n }).map(String),
    otherTypes('integer'),
  )
}

// Created once, because each of these maps all characters.
const anyCharacters = fc.string({ unit: 'binary' })
const graphemes = fc.string({ unit: 'grapheme' })

const codePoints = (text: string): number => [...text].length

function isValid(schema: Schema, text: string): boolean {
  const count = codePoints(text)
  return (
    count >= (schema.minLength ?? 0) &&
    count <= (schema.maxLength ?? Number.POSITIVE_INFINITY) &&
    new RegExp(schema.pattern ?? '', 'u').test(text)
  )
}

function validString(schema: Schema): Arbitrary<string> {
  const { maxLength = 300 } = schema
  const fill = (text: string): string => [...text.repeat(maxLength)].slice(0, maxLength).join('')
  return fc
    .oneof(
      fc.string(),
      anyCharacters,
      graphemes,
      fc.oneof(graphemes, anyCharacters).map(fill),
      fc.constantFrom('\u00a0x\u00a0', '"', '\\', '\u{10ffff}', '__proto__'),
    )
    .filter((text) => isValid(schema, text))
}

function invalidString(schema: Schema): Arbitrary<string> {
  const { maxLength = 300 } = schema
  const control = fc.constantFrom(
    '\u0000',
    '\t',
    '\n',
    '\r',
    '\u001f',
    '\u007f',
    '\u0085',
    '\u009f',
  )
  return fc
    .oneof(
      fc.constantFrom(
        '',
        ' ',
        '\u00a0',
        '\u3000 \u2028',
        'x'.repeat(maxLength + 1),
        '𝓍'.repeat(maxLength + 1),
      ),
      fc.tuple(fc.string(), control, fc.string()).map((parts) => parts.join('')),
    )
    .filter((text) => !isValid(schema, text))
}

/** Plain, or with every UTF-16 code unit escaped. */
function writeString([text, isEscaped]: [string, boolean]): string {
  if (!isEscaped) return JSON.stringify(text)
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

function otherTypes(type: 'string' | 'integer' | 'object'): Arbitrary<string> {
  const texts = { string: ['"1"', '""'], integer: ['1', '0'], object: ['{}'] }
  const others = Object.entries(texts).filter(([name]) => name !== type)
  return fc.constantFrom(
    'null',
    'true',
    'false',
    '[]',
    '[1]',
    ...others.flatMap(([, found]) => found),
  )
}

/** Unknown members are allowed, unless one looks like a misspelled one. */
function validObject(
  document: ApiDocument,
  schema: Schema,
  known: Record<string, Arbitrary<string>>,
): Arbitrary<string> {
  const { properties = {}, required = [] } = schema
  const members = Object.entries(properties).map(([name, property]) => {
    const values = known[name] ?? validJson(document, property)
    const member = values.map((value) => [`${JSON.stringify(name)}:${value}`])
    return required.includes(name) ? member : fc.oneof(member, fc.constant([]))
  })
  const unknown = fc
    .tuple(
      fc.oneof(fc.constantFrom('id', 'toString', '__proto__', 'colour'), fc.string()),
      fc.jsonValue(),
    )
    .filter(([name]) => !(name in properties) || !Object.hasOwn(properties, name))
    .map(([name, value]) => [`${JSON.stringify(name)}:${JSON.stringify(value)}`])
  const more = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: unknown },
  )
  return fc
    .tuple(fc.tuple(...members, more), fc.nat(), fc.constantFrom('', ' ', '\r\n\t'))
    .map(([lists, turn, space]) => {
      const list = lists.flat()
      const first = turn % list.length
      const turned = [...list.slice(first), ...list.slice(0, first)]
      return `${space}{${space}${turned.join(`${space},${space}`)}${space}}${space}`
    })
}

/** For a type or null: values that the type forbids, except null. */
function invalidUnion(document: ApiDocument, schemas: Schema[]): Arbitrary<string> {
  const [type, ...others] = schemas.filter((one) => one.type !== 'null')
  if (!type || others.length > 0) throw new Error('the fuzzer does not support this union')
  return invalidJson(document, type).filter((text) => text !== 'null')
}

/** An object with an invalid, missing or misspelled member, or a value that is not an object. */
function invalidObject(document: ApiDocument, schema: Schema): Arbitrary<string> {
  const { properties = {}, required = [] } = schema
  const names = Object.keys(properties)
  const right = Object.fromEntries(
    names.map((name) => [name, validJson(document, properties[name] as Schema)]),
  )
  const wrongAt = names.map((at) =>
    fc
      .tuple(
        fc.record(right),
        required.includes(at)
          ? fc.oneof(invalidJson(document, properties[at] as Schema), fc.constant(undefined))
          : invalidJson(document, properties[at] as Schema),
      )
      .map(([values, wrong]) => {
        const members = names.flatMap((name) => {
          const value = name === at ? wrong : values[name]
          return value === undefined ? [] : [`${JSON.stringify(name)}:${value}`]
        })
        return `{${members.join()}}`
      }),
  )
  const misspelled = fc.tuple(fc.constantFrom(...names), fc.record(right)).map(([at, values]) => {
    const members = names.map(
      (name) => `"${name === at ? at.toUpperCase() : name}":${values[name]}`,
    )
    return `{${members.join()}}`
  })
  return fc.oneof(...wrongAt, misspelled, otherTypes('object'))
}
