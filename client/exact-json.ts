// JSON whose integers keep every digit: a categoryId may be any int64. What a number would round is a bigint.

type Revive = (key: string, value: unknown, context?: { source?: string }) => unknown

// TypeScript does not know yet that a reviver sees the source text.
const parse = JSON.parse as (text: string, revive: Revive) => unknown

/** Throws a SyntaxError for what is not JSON. Where the engine does not show the source, numbers are rounded. */
export function parseExactJson(text: string): unknown {
  return parse(text, (_, value, context) =>
    typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
      ? asBigint(context?.source, value)
      : value,
  )
}

/** JSON of a value that may hold bigints. */
export function writeExactJson(value: unknown): string {
  // A string that begins like this holds a control character, which nothing that is named here may.
  const marked = JSON.stringify(value, (_, one) =>
    typeof one === 'bigint' ? `\u0000integer ${one}` : one,
  )
  return marked.replaceAll(/"\\u0000integer (-?\d+)"/g, '$1')
}

function asBigint(source: string | undefined, value: number): number | bigint {
  return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value
}
