// Numbers as users read and type them.

const grouped = new Intl.NumberFormat('en')

/** `1,234`. */
export const count = (value: number | bigint): string => grouped.format(value)

/** `1 animal`, `2,000 animals`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** An int64 with every digit; undefined for any other text. */
export function parseInteger(text: string): bigint | undefined {
  const trimmed = text.trim()
  if (!/^-?\d{1,19}$/.test(trimmed)) return undefined
  const value = BigInt(trimmed)
  return BigInt.asIntN(64, value) === value ? value : undefined
}

export const checkInteger = (text: string): string | undefined =>
  parseInteger(text) === undefined ? 'Enter a whole number.' : undefined

/** `12.3 kB`. */
export function bytes(size: number): string {
  if (size < 1000) return `${size} B`
  if (size < 1_000_000) return `${(size / 1000).toFixed(1)} kB`
  if (size < 1_000_000_000) return `${(size / 1_000_000).toFixed(1)} MB`
  return `${(size / 1_000_000_000).toFixed(2)} GB`
}

/** A value of the API as a word on screen: `Sold` for `sold`. */
export const capitalized = (value: string): string => value.charAt(0).toUpperCase() + value.slice(1)

/** Values of the API as choices, each with its word. */
export const asChoices = <Value extends string>(values: readonly Value[]) =>
  values.map((value) => ({ value, label: capitalized(value) }))

/** An address without its scheme and final slash. */
export const shownAddress = (address: string): string =>
  address.replace(/^https?:\/\//, '').replace(/\/$/, '')
