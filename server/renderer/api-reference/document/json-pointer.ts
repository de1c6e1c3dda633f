// JSON pointers in `$ref` (RFC 6901), as fragments of URIs.
import { type Fields, hasField } from './document-values.ts'

/** The value at a pointer such as `/components/schemas/Pet`. Throws what `fault` returns for the words of what is wrong. */
export function valueAt(root: unknown, pointer: string, fault: (words: string) => Error): unknown {
  let value = root
  const [start, ...segments] = pointer.split('/')
  if (start !== '')
    throw fault('is not a JSON pointer. Write it as #/components/… or file.yaml#/….')
  for (const key of segments.map(decodeSegment)) {
    const isIndex = Array.isArray(value) && /^\d{1,9}$/.test(key)
    if (!isIndex && !hasField(value, key)) throw fault('has no target: nothing is at this pointer.')
    value = (value as Fields)[key]
  }
  return value
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
