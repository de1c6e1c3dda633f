import { describe, expect, test } from 'vitest'
import { INT64_MAX, INT64_MIN, MAX_EXACT_DIGITS } from './exact-number.ts'
import { JsonSyntaxError } from './json-syntax-error.ts'
import { type JsonObject, type JsonValue, MAX_DEPTH, parseStrictJson } from './strict-json.ts'

function parse(body: string | Uint8Array): JsonValue {
  return parseStrictJson(typeof body === 'string' ? Buffer.from(body) : body)
}

function faultOf(body: string | Uint8Array): JsonSyntaxError {
  try {
    parse(body)
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error
    throw error
  }
  throw new Error('the body was accepted')
}

const READ: readonly (readonly [body: string, value: unknown])[] = [
  ['null', null],
  [' true ', true],
  ['false', false],
  ['"Rex"', 'Rex'],
  ['""', ''],
  ['"Zoë 犬 😀"', 'Zoë 犬 😀'],
  ['"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'],
  ['"a\\u0062c"', 'abc'],
  ['"\\ud83d\\uDE00!"', '😀!'],
  ['"\u007f\u2028\ufffd"', '\u007f\u2028\ufffd'],
  ['[]', []],
  ['{}', {}],
  ['\t{ "a" :\r\n[ 1 , { } ] }\n', { a: [1, {}] }],
  ['{"a":{"a":1},"b":{"a":2}}', { a: { a: 1 }, b: { a: 2 } }],
  ['[0,-0,7,-12,999999999999999]', [0, 0, 7, -12, 999999999999999]],
  ['[1.0,1e3,10e-1,1.50E+1,-0.0,0e999999999]', [1, 1000, 1, 15, 0, 0]],
  ['[1.5,-0.25,1e-7]', [1.5, -0.25, 1e-7]],
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', 9007199254740993n],
  [String(INT64_MIN), INT64_MIN],
  [String(INT64_MAX), INT64_MAX],
  ['1e999999', Number.POSITIVE_INFINITY],
  [`-1e${'9'.repeat(400)}`, Number.NEGATIVE_INFINITY],
  ['[-0.00e5,0e-5,-0e9999,1200e-2,-1.5e1,0.00070e4,15e-1]', [0, 0, 0, 12, -15, 7, 1.5]],
  ['[9007199254740992,9.223372036854775807e18]', [9007199254740992n, INT64_MAX]],
  ['9'.repeat(MAX_EXACT_DIGITS), BigInt('9'.repeat(MAX_EXACT_DIGITS))],
  ['[1e39,1e40]', [10n ** 39n, 1e40]],
  // No integers, and never rounded to one.
  ['[1.00000000000000000001,9007199254740993.5,1e-400]', [Number.NaN, Number.NaN, Number.NaN]],
  [`[1e-${'9'.repeat(400)},-0.99999999999999999999]`, [Number.NaN, Number.NaN]],
]

describe('valid JSON', () => {
  test.each(READ)('%s', (body, value) => {
    expect(parse(body)).toEqual(value)
  })

  test('reads only the given view of a larger buffer', () => {
    expect(parse(Buffer.from('xx[1]xx').subarray(2, 5))).toEqual([1])
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'reads the key %s',
    (key) => {
      const value = parse(`{"${key}":{"admin":true}}`) as JsonObject
      expect(Object.keys(value)).toEqual([key])
      expect(Object.getPrototypeOf(value)).toBeNull()
      expect('admin' in {}).toBe(false)
    },
  )

  test(`${MAX_DEPTH} levels are accepted, one more is refused`, () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(JSON.stringify(parse(nested(MAX_DEPTH)))).toBe(nested(MAX_DEPTH))
    expect(faultOf(nested(MAX_DEPTH + 1)).message).toBe(
      'Line 1, column 33: values are nested deeper than 32 levels; flatten them.',
    )
    const wide = `[${Array(100)
      .fill(nested(MAX_DEPTH - 1))
      .join()}]`
    expect(parse(wide)).toHaveLength(100)
  })
})

const REFUSED: readonly (readonly [body: string, place: string, sentence: string])[] = [
  ['', '1:1', 'the body is empty; send one JSON value, such as an object.'],
  [' \n', '1:1', 'the body is empty; send one JSON value, such as an object.'],
  ['\uFEFF{}', '1:1', 'a byte-order mark stands here; remove it.'],
  ['{"a":1,"a":2}', '1:8', 'the key "a" appears twice in one object; keep one of them.'],
  ['{"a":1,"\\u0061":2}', '1:8', 'the key "a" appears twice in one object; keep one of them.'],
  ['{"__proto__":1,"__proto__":2}', '1:16', 'the key "__proto__" appears twice in one object; '],
  ['\0', '1:1', 'the character NUL (U+0000) is not accepted; remove it.'],
  ['"a\0"', '1:3', 'the character NUL (U+0000) is not accepted; remove it.'],
  ['"a\\u0000"', '1:3', 'the character NUL (U+0000) is not accepted; remove it.'],
  ['{"\\u0000":1}', '1:3', 'the character NUL (U+0000) is not accepted; remove it.'],
  ['{"a":1,}', '1:7', 'a comma stands before the end of the object; remove the comma.'],
  ['[1, ]', '1:3', 'a comma stands before the end of the array; remove the comma.'],
  ['[1,,2]', '1:4', 'a value is missing before ","; add the value or remove what calls for it.'],
  ['{,}', '1:2', 'a comma stands where a key should; remove it.'],
  ['{"a":}', '1:6', 'a value is missing before "}"; add the value or remove what calls for it.'],
  ['{"a":1} // x', '1:9', 'JSON has no comments; remove this one.'],
  ['[1 /* x */]', '1:4', 'JSON has no comments; remove this one.'],
  ['{# x\n}', '1:2', 'JSON has no comments; remove this one.'],
  ["{'a':1}", '1:2', '\' cannot quote a string or a key; use double quotes (").'],
  ["['a']", '1:2', '\' cannot quote a string or a key; use double quotes (").'],
  ['{name:1}', '1:2', 'the key name is not quoted; write "name".'],
  ['{1:1}', '1:2', '"1" stands where a key should; write the key in double quotes.'],
  ['01', '1:1', 'a number must not start with zeros; remove the leading zeros.'],
  ['-007', '1:1', 'a number must not start with zeros; remove the leading zeros.'],
  ['+1', '1:1', 'a number must not start with "+"; remove the sign.'],
  ['.5', '1:1', 'a number must not start with "."; put a 0 before it.'],
  ['-.5', '1:1', 'a number must not start with "."; put a 0 before it.'],
  ['1.', '1:3', 'the decimal point has no digits after it; add them or remove it.'],
  ['1.e3', '1:3', 'the decimal point has no digits after it; add them or remove it.'],
  ['1e', '1:3', 'the exponent has no digits after it; add them or remove it.'],
  ['1e+', '1:4', 'the exponent has no digits after it; add them or remove it.'],
  ['-', '1:1', 'a minus sign is not followed by a digit; add the digits or remove the sign.'],
  ['NaN', '1:1', 'NaN is no number of JSON; send a finite number or null.'],
  ['[-Infinity]', '1:2', '-Infinity is no number of JSON; send a finite number or null.'],
  ['True', '1:1', 'True must be in lower case; write true.'],
  ['undefined', '1:1', 'undefined is no value of JSON; put text in double quotes.'],
  ['nul', '1:1', 'nul is no value of JSON; put text in double quotes.'],
  ['"a\tb"', '1:3', 'the control character U+0009 stands in a string; write \\t instead.'],
  ['"\\n\u001f"', '1:4', 'the control character U+001F stands in a string; write \\u001f instead.'],
  ['"\\x41"', '1:2', 'a backslash before "x" is no escape of JSON; write \\\\ for a backslash.'],
  ['"\\u41', '1:2', '\\u must be followed by four hexadecimal digits.'],
  ['"\\u00g0"', '1:2', '\\u must be followed by four hexadecimal digits.'],
  ['"\\ud83d"', '1:2', '\\ud83d is half of a surrogate pair; write both halves or none.'],
  ['"\\ude00\\ud83d"', '1:2', '\\ude00 is half of a surrogate pair; write both halves or none.'],
  ['"\\ude00\\ude00"', '1:2', '\\ude00 is half of a surrogate pair; write both halves or none.'],
  ['"\\ud83d\\u0041"', '1:2', '\\ud83d is half of a surrogate pair; write both halves or none.'],
  ['{"\\udfff":1}', '1:3', '\\udfff is half of a surrogate pair; write both halves or none.'],
  ['"a', '1:3', 'the text ends inside a string; add the closing double quote.'],
  ['"a\\', '1:3', 'the text ends inside a string; add the closing double quote.'],
  ['{} {}', '1:4', '"{" follows the end of the JSON value; remove it.'],
  ['1 2', '1:3', '"2" follows the end of the JSON value; remove it.'],
  ['[1 2]', '1:4', '"2" follows a value; add "," or "]" before it.'],
  ['{"a":1 "b":2}', '1:8', 'a double quote follows a value; add "," or "}" before it.'],
  ['{"a" 1}', '1:6', 'a colon is missing after the key; add ":".'],
  ['{"a"', '1:5', 'the text ends after a key; add ":" and a value.'],
  ['{"a":', '1:6', 'the text ends where a value should stand; add the value.'],
  ['{"a":1', '1:7', 'the text ends inside an object; add "}".'],
  ['[1', '1:3', 'the text ends inside an array; add "]".'],
  ['{"a":1]', '1:7', '"]" cannot close an object; write "}".'],
  ['\u00a01', '1:1', 'the character U+00A0 cannot start a value; remove it.'],
]

describe('invalid JSON', () => {
  test.each(REFUSED)('%j at %s: %s', (body, place, sentence) => {
    const fault = faultOf(body)
    const [line, column] = place.split(':')
    expect(fault.message).toContain(`Line ${line}, column ${column}: ${sentence}`)
    expect(`${fault.line}:${fault.column}`).toBe(place)
  })

  test('reports positions in lines, code points and bytes', () => {
    const fault = faultOf('{\r\n"é😀": 1,\r\n"😀": x}')
    expect(fault).toMatchObject({ line: 3, column: 6, path: '["😀"]' })
    expect(fault.offset).toBe(Buffer.byteLength('{\r\n"é😀": 1,\r\n"😀": '))
  })

  test.each([
    ['{"a":{"b":[1,{"c":x}]}}', 'a.b[1].c'],
    ['{"a":{"b":1} "c":2}', ''],
    ['{"a":1,"b":[1,2,]}', 'b'],
    ['{"a":{"b":1,"b":2}}', 'a.b'],
    ['{"a":1,"b"x}', 'b'],
    ['{"a":1,b:2}', ''],
    ['[[1],[2,3 4]]', '[1]'],
  ])('%s names the member %j', (body, path) => {
    expect(faultOf(body).path).toBe(path)
  })

  test('shortens a long key in the message', () => {
    const key = 'k'.repeat(5000)
    expect(faultOf(`{"${key}":1,"${key}":2}`).message.length).toBeLessThan(150)
  })
})

describe('bytes that are not UTF-8', () => {
  test.each([
    ['a stray byte', [0x22, 0xe9, 0x22], 1, '0xE9'],
    ['an overlong slash', [0x22, 0x41, 0xc0, 0xaf, 0x22], 2, '0xC0'],
    ['an encoded surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22], 1, '0xED'],
    ['a truncated sequence', [0x22, 0xf0, 0x9f], 1, '0xF0'],
    ['a truncated sequence like U+FFFD', [0x22, 0xef, 0xbf, 0x22], 1, '0xEF'],
    ['after a real U+FFFD', [0x22, 0xef, 0xbf, 0xbd, 0xff, 0x22], 4, '0xFF'],
    ['UTF-16', [0xff, 0xfe, 0x31, 0x00], 0, '0xFF'],
  ])('%s', (_, bytes, offset, byte) => {
    const fault = faultOf(Uint8Array.from(bytes))
    expect(fault.offset).toBe(offset)
    expect(fault.message).toContain(`: byte ${byte} is not UTF-8; encode the body as UTF-8.`)
  })
})
