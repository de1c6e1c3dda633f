// Numbers for people: grouped digits, and an integer as somebody types it.

const grouped = new Intl.NumberFormat('en')

/** `1,234`. */
export const count = (value: number | bigint): string => grouped.format(value)

/** `1 animal`, `2,000 animals`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** The integer that was typed, exact; the text itself where it is none, for the server to say what is wrong. */
export function typedInteger(text: string): bigint | string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  return /^-?\d+$/.test(trimmed) ? BigInt(trimmed) : trimmed
}

/** `12.3 kB`. */
export function bytes(size: number): string {
  if (size < 1000) return `${size} B`
  if (size < 1_000_000) return `${(size / 1000).toFixed(1)} kB`
  if (size < 1_000_000_000) return `${(size / 1_000_000).toFixed(1)} MB`
  return `${(size / 1_000_000_000).toFixed(2)} GB`
}
