// Numbers of the strict reader: the grammar of RFC 8259 section 6, and a short way for small
// integers.

import { toExactNumber } from './exact-number.ts'
import { fault, isDigit, type JsonCursor, LOWER_E, MINUS, POINT, ZERO } from './json-cursor.ts'
import { diagnoseNumber } from './json-diagnosis.ts'

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
