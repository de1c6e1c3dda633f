// Strings of the strict reader: plain ones are one slice of the text; escapes are undone; NUL, bare
// control characters and halves of surrogate pairs are refused.

import { toExactNumber } from './exact-number.ts'
import {
  BACKSLASH,
  fault,
  isDigit,
  type JsonCursor,
  LOWER_E,
  LOWER_U,
  MINUS,
  POINT,
  QUOTE,
  SPACE,
  ZERO,
} from './json-cursor.ts'
import { diagnoseControl, diagnoseEscape, diagnoseNul, diagnoseNumber } from './json-diagnosis.ts'
import type { JsonSyntaxError } from './json-syntax-error.ts'

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

/** Takes the string that opens at the cursor. The text is decoded, so it has no lone surrogates. */
export function readString(cursor: JsonCursor): string {
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
    if (plain === undefined) throw fault(cursor, at, diagnoseEscape(text, at))
    cursor.at = at + 2
    return plain
  }
  const unit = readUnit(cursor, at)
  if (unit === 0) throw fault(cursor, at, diagnoseNul())
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
  throw fault(cursor, at, diagnoseEscape(cursor.text, at))
}

function stringFault(cursor: JsonCursor, at: number): JsonSyntaxError {
  const { text } = cursor
  if (at < text.length) return fault(cursor, at, diagnoseControl(text.charCodeAt(at)))
  return fault(cursor, at, 'the text ends inside a string; add the closing double quote.')
}

/** Any integer of so many digits is safe, and summing its digits up is exact. */
const MAX_FAST_DIGITS = 15

/** Takes the number at the cursor, which stands at a minus sign or a digit. See toExactNumber. */
export function readNumber(cursor: JsonCursor): number | bigint {
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
  if (at === first) throw fault(cursor, start, diagnoseNumber(text, first))
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
