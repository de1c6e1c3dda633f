// Typed access to the values of an untrusted document, which may be of any type.

/** An object of the document, without a prototype, so that all keys come from the document. */
export type Fields = Record<string, unknown>

/** Keys of a path that are operations. */
export const methods = /^(get|put|post|delete|options|head|patch|trace|query)$/

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function fieldOf(value: unknown, key: string): unknown {
  return isFields(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** The fields of an object; none of other values. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

export function hasField(value: unknown, key: string): boolean {
  return isFields(value) && Object.hasOwn(value, key)
}

/** Text that is not blank; a number or a truth value as text. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  return /^(number|bigint|boolean)$/.test(typeof value) ? String(value) : undefined
}

export function textField(value: unknown, key: string): string | undefined {
  return textOf(fieldOf(value, key))
}

export function listField(value: unknown, key: string): unknown[] {
  const list = fieldOf(value, key)
  return Array.isArray(list) ? list : []
}

export function textsField(value: unknown, key: string): string[] {
  return listField(value, key).flatMap((item) => textOf(item) ?? [])
}

export function entriesOf(value: unknown): [string, unknown][] {
  return Object.entries(fieldsOf(value))
}

export function entriesField(value: unknown, key: string): [string, unknown][] {
  return entriesOf(fieldOf(value, key))
}

export function flagField(value: unknown, key: string): boolean {
  return fieldOf(value, key) === true
}
