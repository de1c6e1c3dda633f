// Strings of the strict reader: plain ones are one slice of the text; escapes are undone; NUL, bare
// control characters and halves of surrogate pairs are refused.

import { BACKSLASH, fault, type JsonCursor, LOWER_U, QUOTE, SPACE } from './json-cursor.ts'
import { diagnoseControl, diagnoseEscape, diagnoseNul } from './json-diagnosis.ts'
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
