// Integers to the last digit through JSON.parse and JSON.stringify (ECMAScript's JSON.parse source text access).

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

/** The value of JSON that is sound. JSON.stringify writes its integers as they stood there. */
export function parseToWrite(text: string): unknown {
  return json.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && !Number.isSafeInteger(value)
      ? json.rawJSON(source)
      : value,
  )
}
