// Identifiers in paths.

/** An int64 as it is written canonically; anything else names no record. */
export function readRecordId(text: string): bigint | undefined {
  if (!/^(0|-?[1-9]\d{0,18})$/.test(text)) return undefined
  const id = BigInt(text)
  return BigInt.asIntN(64, id) === id ? id : undefined
}
