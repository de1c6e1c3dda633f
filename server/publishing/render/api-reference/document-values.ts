// Reads values of a document of which nothing is known: a wrong type reads as if nothing were there.

/** An object of the document. Made without a prototype, so every key is the document's own. */
export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function fieldOf(value: unknown, key: string): unknown {
  return isFields(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** The value below `keys`, one after the other. */
export function fieldAt(value: unknown, ...keys: string[]): unknown {
  return keys.reduce(fieldOf, value)
}

export function hasField(value: unknown, key: string): boolean {
  return isFields(value) && Object.hasOwn(value, key)
}

/** Text that is not blank; a number or a truth value as text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
    return String(value)
  }
  return undefined
}

export function textField(value: unknown, key: string): string | undefined {
  return textOf(fieldOf(value, key))
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function listField(value: unknown, key: string): unknown[] {
  return listOf(fieldOf(value, key))
}

export function textsField(value: unknown, key: string): string[] {
  return listField(value, key).flatMap((item) => textOf(item) ?? [])
}

export function entriesOf(value: unknown): [string, unknown][] {
  return isFields(value) ? Object.entries(value) : []
}

export function entriesField(value: unknown, key: string): [string, unknown][] {
  return entriesOf(fieldOf(value, key))
}

export function flagField(value: unknown, key: string): boolean {
  return fieldOf(value, key) === true
}
