// JSON pointers in `$ref` (RFC 6901), as fragments of URIs.
import { type Fields, hasField } from './document-values.ts'

/** The value at a pointer such as `/components/schemas/Pet`, in an object so that it may be undefined. */
export function valueAt(root: unknown, pointer: string): { value: unknown } | undefined {
  let value = root
  for (const segment of pointer.split('/').slice(1)) {
    const key = decodeSegment(segment)
    const isIndex = Array.isArray(value) && /^\d{1,9}$/.test(key)
    if (!isIndex && !hasField(value, key)) return undefined
    value = (value as Fields)[key]
  }
  return { value }
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A lone percent sign is kept.
    return text
  }
}

export function decodeSegment(segment: string): string {
  return decoded(segment).replaceAll('~1', '/').replaceAll('~0', '~')
}

export function encodeSegment(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}
