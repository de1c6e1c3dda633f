// Parses JSON without losing digits: every integer is a bigint.

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
/** TypeScript's types do not yet include the reviver's third parameter, which has the source text. */
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown

/** Undefined if the text is not JSON. Numbers with a fraction stay numbers. */
export function parseExact(text: string): unknown {
  try {
    return parse(text, (_key, value, context) =>
      typeof value === 'number' ? (exactInteger(context.source ?? '') ?? value) : value,
    )
  } catch {
    return undefined
  }
}

/** The value of a JSON number that is an integer: `1.50e2` is 150. Undefined for others and above 60 digits. */
export function exactInteger(source: string): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source)
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const digits = whole + fraction
  if (/^0*$/.test(digits)) return 0n
  const shift = Number(exponent) - fraction.length
  if (Math.abs(shift) > 60) return undefined
  if (shift < 0 && !/^0*$/.test(digits.slice(shift))) return undefined
  const value =
    shift < 0 ? BigInt(digits.slice(0, shift) || '0') : BigInt(digits + '0'.repeat(shift))
  return sign ? -value : value
}
