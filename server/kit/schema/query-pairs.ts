// Splits a query string into pairs as URLSearchParams does, except that malformed encoding is an error.

/** A decoded name and value; no value where the percent-encoding of either is malformed. */
export type QueryPair = readonly [name: string, value: string | undefined]

/** The pairs of a query string (what follows the question mark); empty parts give none. */
export function splitQuery(query: string): QueryPair[] {
  const pairs: QueryPair[] = []
  for (const part of query.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const rawName = equals === -1 ? part : part.slice(0, equals)
    const name = decode(rawName)
    const value = equals === -1 ? '' : decode(part.slice(equals + 1))
    pairs.push(name === undefined ? [rawName, undefined] : [name, value])
  }
  return pairs
}

/** Undefined for a percent sign without two hexadecimal digits, or bytes that are not UTF-8. */
function decode(text: string): string | undefined {
  const spaced = text.replaceAll('+', ' ')
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return undefined
  }
}
