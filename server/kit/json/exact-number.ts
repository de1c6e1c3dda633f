// Numbers of JSON without loss: an integer keeps its digits however it is written (7, 7.0, 70e-1),
// and a literal that is no integer never turns into one by rounding.

export const INT64_MIN = -(2n ** 63n)
export const INT64_MAX = 2n ** 63n - 1n

/** Longer integers stay inexact, so that no big arithmetic is ever done. */
export const MAX_EXACT_DIGITS = 40

const ZERO = 0x30
const LITERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * The value of a number literal that RFC 8259 allows, in time linear in its length.
 * An integer: a number when safe, else a bigint up to MAX_EXACT_DIGITS digits, else the nearest
 * double (unsafe or infinite). Not an integer: the nearest double, or NaN when the nearest double
 * would be an integer (1.00000000000000000001, 1e-400). Zero never has a sign.
 */
export function toExactNumber(literal: string): number | bigint {
  const match = LITERAL.exec(literal)
  if (match === null) throw new TypeError('not a JSON number')
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  // Loops, not /0+$/: that pattern needs quadratic time on 1000…0001.
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO) end--
  let first = 0
  while (first < end && digits.charCodeAt(first) === ZERO) first++
  if (first === end) return 0
  const power = Number(exponent) - fraction.length + (digits.length - end)
  if (power < 0) {
    const nearest = Number(literal)
    return Number.isInteger(nearest) ? Number.NaN : nearest
  }
  if (end - first + power > MAX_EXACT_DIGITS) return Number(literal)
  return narrow(BigInt(sign + digits.slice(first, end) + '0'.repeat(power)))
}

/** The same integer as a number where that is exact, else as it came. */
function narrow(integer: bigint): number | bigint {
  const asNumber = Number(integer)
  return Number.isSafeInteger(asNumber) ? asNumber : integer
}

interface SourceTextAccess {
  rawJSON(text: string): object
  parse(
    text: string,
    revive: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown
}

// TypeScript does not know it yet.
const json = JSON as unknown as SourceTextAccess

/** What JSON.stringify writes as this integer: a number wherever one is exact. It is only to be written. */
export function exactInteger(value: number | bigint): number | bigint {
  if (typeof value === 'number') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : (json.rawJSON(`${value}`) as unknown as bigint)
}

/** The value of JSON that is sound. JSON.stringify writes its numbers as they stood there. */
export function parseToWrite(text: string): unknown {
  return json.parse(text, (_, value, { source = '' }) =>
    typeof value === 'number' ? json.rawJSON(source) : value,
  )
}
