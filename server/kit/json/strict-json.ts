// Reads a request body as JSON, strictly: RFC 8259 without options, and of I-JSON (RFC 7493) UTF-8
// without a byte-order mark, unique keys and no lone surrogates. Also no NUL and at most MAX_DEPTH
// levels. One pass, linear time, exact integers; noncharacters such as U+FFFE are let through.

import { toExactNumber } from './exact-number.ts'
import * as diagnosis from './json-diagnosis.ts'
import { decodeUtf8, formatSteps, JsonSyntaxError, locate, quote } from './json-syntax-error.ts'

/** Arrays and objects inside one another; the outermost is level 1. */
export const MAX_DEPTH = 32

/** What parseStrictJson gives. Integers beyond 2^53 are bigint; objects have no prototype. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject
export type JsonObject = { [key: string]: JsonValue }

/** Where the reader stands. Every part leaves `at` behind what it has read. */
type JsonCursor = {
  readonly text: string
  /** Index of the next UTF-16 unit to read. */
  at: number
  depth: number
  /** One step for each open container, from the outside in; longer than depth after a close. */
  readonly steps: (string | number | null)[]
}

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const LOWER_E = 0x65
const LOWER_F = 0x66
const LOWER_N = 0x6e
const LOWER_T = 0x74
const LOWER_U = 0x75
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** The value of a body, or a JsonSyntaxError that says what to fix; nothing else is thrown. */
export function parseStrictJson(bytes: Uint8Array): JsonValue {
  const text = decodeUtf8(bytes)
  const cursor: JsonCursor = { text, at: 0, depth: 0, steps: [] }
  skipSpace(cursor)
  if (cursor.at === text.length) {
    throw fault(cursor, 0, 'the body is empty; send one JSON value, such as an object.')
  }
  const value = readValue(cursor)
  if (skipSpace(cursor) === text.length) return value
  throw fault(cursor, cursor.at, diagnosis.diagnoseTrailing(text, cursor.at))
}

function readValue(cursor: JsonCursor): JsonValue {
  const code = cursor.text.charCodeAt(skipSpace(cursor))
  switch (code) {
    case QUOTE:
      return readString(cursor)
    case OPEN_BRACE:
      return readObject(cursor)
    case OPEN_BRACKET:
      return readArray(cursor)
    case LOWER_T:
      return readWord(cursor, 'true', true)
    case LOWER_F:
      return readWord(cursor, 'false', false)
    case LOWER_N:
      return readWord(cursor, 'null', null)
    default:
      if (code === MINUS || isDigit(code)) return readNumber(cursor)
      throw fault(cursor, cursor.at, diagnosis.diagnoseValue(cursor.text, cursor.at))
  }
}

function readObject(cursor: JsonCursor): JsonObject {
  const { text, steps } = cursor
  const level = enter(cursor)
  // No prototype: __proto__ and constructor are keys like any other.
  const object: JsonObject = Object.create(null)
  if (text.charCodeAt(skipSpace(cursor)) === CLOSE_BRACE) return leave(cursor, object)
  for (;;) {
    const keyAt = cursor.at
    if (text.charCodeAt(keyAt) !== QUOTE) {
      throw fault(cursor, keyAt, diagnosis.diagnoseKey(text, keyAt))
    }
    const key = readString(cursor)
    steps[level] = key
    if (object[key] !== undefined) {
      const sentence = `the key ${quote(key)} appears twice in one object; keep one of them.`
      throw fault(cursor, keyAt, sentence)
    }
    if (text.charCodeAt(skipSpace(cursor)) !== COLON) {
      throw fault(cursor, cursor.at, diagnosis.diagnoseColon(text, cursor.at))
    }
    cursor.at++
    object[key] = readValue(cursor)
    steps[level] = null
    if (endsAfterMember(cursor, CLOSE_BRACE, 'object')) return leave(cursor, object)
  }
}

function readArray(cursor: JsonCursor): JsonValue[] {
  const { text, steps } = cursor
  const level = enter(cursor)
  const array: JsonValue[] = []
  if (text.charCodeAt(skipSpace(cursor)) === CLOSE_BRACKET) return leave(cursor, array)
  for (;;) {
    steps[level] = array.length
    array.push(readValue(cursor))
    steps[level] = null
    if (endsAfterMember(cursor, CLOSE_BRACKET, 'array')) return leave(cursor, array)
  }
}

/** Takes the opening bracket; the result is the container's index in `steps`. */
function enter(cursor: JsonCursor): number {
  if (cursor.depth === MAX_DEPTH) {
    const sentence = `values are nested deeper than ${MAX_DEPTH} levels; flatten them.`
    throw fault(cursor, cursor.at, sentence)
  }
  cursor.at++
  cursor.steps[cursor.depth] = null
  return cursor.depth++
}

/** Takes the closing bracket. */
function leave<Value>(cursor: JsonCursor, value: Value): Value {
  cursor.at++
  cursor.depth--
  return value
}

/** Stops at the closing bracket (true) or takes the comma and stops at the next member. */
function endsAfterMember(
  cursor: JsonCursor,
  closer: number,
  container: diagnosis.Container,
): boolean {
  const { text } = cursor
  const at = skipSpace(cursor)
  const code = text.charCodeAt(at)
  if (code === closer) return true
  if (code !== COMMA) {
    throw fault(cursor, at, diagnosis.diagnoseAfterMember(text, at, container))
  }
  cursor.at++
  if (text.charCodeAt(skipSpace(cursor)) !== closer) return false
  throw fault(cursor, at, `a comma stands before the end of the ${container}; remove the comma.`)
}

function readWord<Word>(cursor: JsonCursor, word: string, value: Word): Word {
  const { text, at } = cursor
  if (!text.startsWith(word, at)) throw fault(cursor, at, diagnosis.diagnoseValue(text, at))
  cursor.at += word.length
  return value
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/**
 * Takes the string that opens at the cursor: one slice of the text where it has no escapes. NUL, bare control characters
 * and escaped lone surrogates are refused; the decoded text has no other lone surrogates.
 */
function readString(cursor: JsonCursor): string {
  const { text } = cursor
  const start = cursor.at + 1
  for (let at = start; ; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      cursor.at = at + 1
      return text.slice(start, at)
    }
    if (code === BACKSLASH) return readEscapedString(cursor, start, at)
    // Written so that the NaN past the end of the text fails too.
    if (!(code >= SPACE)) throw stringFault(cursor, at)
  }
}

/** The rest of a string from its first backslash on. */
function readEscapedString(cursor: JsonCursor, start: number, backslashAt: number): string {
  const { text } = cursor
  let value = text.slice(start, backslashAt)
  cursor.at = backslashAt
  for (;;) {
    value += readEscape(cursor)
    const from = cursor.at
    let at = from
    let code = text.charCodeAt(at)
    while (code >= SPACE && code !== QUOTE && code !== BACKSLASH) code = text.charCodeAt(++at)
    if (at > from) value += text.slice(from, at)
    cursor.at = at
    if (code === BACKSLASH) continue
    if (code !== QUOTE) throw stringFault(cursor, at)
    cursor.at++
    return value
  }
}

/** Takes one escape, or two that make one code point. */
function readEscape(cursor: JsonCursor): string {
  const { text, at } = cursor
  if (text.charCodeAt(at + 1) !== LOWER_U) {
    const plain = ESCAPES[text.charAt(at + 1)]
    if (plain === undefined) throw fault(cursor, at, diagnosis.diagnoseEscape(text, at))
    cursor.at = at + 2
    return plain
  }
  const unit = readUnit(cursor, at)
  if (unit === 0) throw fault(cursor, at, diagnosis.diagnoseNul())
  cursor.at = at + 6
  if (unit < 0xd800 || unit > 0xdfff) return String.fromCharCode(unit)
  if (unit < 0xdc00 && text.startsWith('\\u', at + 6)) {
    const low = readUnit(cursor, at + 6)
    cursor.at = at + 12
    if (low >= 0xdc00 && low <= 0xdfff) return String.fromCharCode(unit, low)
  }
  const shown = text.slice(at, at + 6)
  throw fault(cursor, at, `${shown} is half of a surrogate pair; write both halves or none.`)
}

/** The four hexadecimal digits of the \u escape at `at`. */
function readUnit(cursor: JsonCursor, at: number): number {
  const digits = cursor.text.slice(at + 2, at + 6)
  if (/^[\dA-Fa-f]{4}$/.test(digits)) return Number.parseInt(digits, 16)
  throw fault(cursor, at, diagnosis.diagnoseEscape(cursor.text, at))
}

function stringFault(cursor: JsonCursor, at: number): JsonSyntaxError {
  const { text } = cursor
  if (at < text.length) return fault(cursor, at, diagnosis.diagnoseControl(text.charCodeAt(at)))
  return fault(cursor, at, 'the text ends inside a string; add the closing double quote.')
}

/** Any integer of so many digits is safe, and summing its digits up is exact. */
const MAX_FAST_DIGITS = 15

/** Takes the number at the cursor, which stands at a minus sign or a digit. See toExactNumber. */
function readNumber(cursor: JsonCursor): number | bigint {
  const { text, at: start } = cursor
  const isNegative = text.charCodeAt(start) === MINUS
  const first = isNegative ? start + 1 : start
  let at = first
  let code = text.charCodeAt(at)
  let sum = 0
  while (isDigit(code)) {
    sum = sum * 10 + (code - ZERO)
    code = text.charCodeAt(++at)
  }
  if (at === first) throw fault(cursor, start, diagnosis.diagnoseNumber(text, first))
  if (at > first + 1 && text.charCodeAt(first) === ZERO) {
    throw fault(cursor, start, 'a number must not start with zeros; remove the leading zeros.')
  }
  if (code !== POINT && (code | 0x20) !== LOWER_E && at - first <= MAX_FAST_DIGITS) {
    cursor.at = at
    return isNegative ? 0 - sum : sum
  }
  if (code === POINT) {
    at = skipDigits(cursor, at + 1, 'the decimal point')
    code = text.charCodeAt(at)
  }
  if ((code | 0x20) === LOWER_E) {
    const sign = text.charAt(at + 1)
    at = skipDigits(cursor, at + (sign === '+' || sign === '-' ? 2 : 1), 'the exponent')
  }
  cursor.at = at
  return toExactNumber(text.slice(start, at))
}

/** The end of the digits that start at `from`, of which there must be one. */
function skipDigits(cursor: JsonCursor, from: number, what: string): number {
  let at = from
  while (isDigit(cursor.text.charCodeAt(at))) at++
  if (at > from) return at
  throw fault(cursor, from, `${what} has no digits after it; add them or remove it.`)
}

/** Moves to the next unit that is not white space, and gives its index. */
function skipSpace(cursor: JsonCursor): number {
  const { text } = cursor
  let { at } = cursor
  let code = text.charCodeAt(at)
  while (code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB) {
    code = text.charCodeAt(++at)
  }
  cursor.at = at
  return at
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}

/** The error for the place `at`, inside whatever containers are open now. */
function fault(cursor: JsonCursor, at: number, sentence: string): JsonSyntaxError {
  const path = formatSteps(cursor.steps.slice(0, cursor.depth))
  return new JsonSyntaxError(locate(cursor.text, at), path, sentence)
}
