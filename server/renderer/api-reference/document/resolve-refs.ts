// Follows `$ref` within a document whose files are joined. A reference that is circular or has no target is an error of the
// document; so is what leads to the same large parts again and again. And JSON pointers (RFC 6901), as fragments of URIs.

import { type Fields, fieldsOf, hasField, isFields } from './document-values.ts'
import type { ParsedFile } from './parse-file.ts'

/**
 * `value` is the final target; fields next to a `$ref` override those of the target. `ref` is the first `$ref` that was
 * followed, if any: equal values mean the same target. `name` is its name in `components/schemas`, if it is there.
 */
export type Resolve = (value: unknown) => {
  value: unknown
  ref?: string
  name?: string | undefined
}

/** `$ref`s that only lead to another. */
const maxChain = 100
/** Fields that are looked at in all, each time that a `$ref` leads to them. */
const maxLooks = 20_000_000

type JoinedFile = Pick<ParsedFile, 'fault' | 'refFault'> & { root: Fields }

/** Throws DeployFailure, with the line of the `$ref`. */
export function createResolver({ fault, refFault, root }: JoinedFile): Resolve {
  const targets = new Map<string, unknown>()
  const sizes = new WeakMap<object, number>()
  let looks = 0

  /** Counts what the caller looks at. A small document can lead to the same fields very often. */
  function count(target: unknown): void {
    if (!isFields(target)) return
    looks += sizes.getOrInsertComputed(target, () => sizeOf(target))
    if (looks <= maxLooks) return
    throw fault(
      'This document takes too long to render, because large schemas are repeated by $ref. Make it smaller, or split it.',
    )
  }

  function findTarget(ref: string): unknown {
    if (!ref.startsWith('#')) throw refFault(isOutside, ref)
    return valueAt(root, ref.slice(1), (words) => refFault(words, ref))
  }

  return (value) => {
    const passed = new Set<string>()
    let siblings: Fields = {}
    let current = value
    while (isFields(current) && typeof current.$ref === 'string') {
      const { $ref: ref, ...others } = current
      if (passed.has(ref)) throw refFault('points back to itself.', ref)
      if (passed.size === maxChain) {
        throw refFault(`is reached through more than ${maxChain} others.`, ref)
      }
      passed.add(ref)
      count(current)
      siblings = { ...others, ...siblings }
      current = targets.getOrInsertComputed(ref, findTarget)
    }
    count(current)
    const [ref] = passed
    if (ref === undefined) return { value }
    const hasMore = Object.keys(siblings).length > 0
    const merged = hasMore && isFields(current) ? { ...current, ...siblings } : current
    return { value: merged, ref, name: nameOf(ref) }
  }
}

export const isOutside = 'points outside the folder. Add the file, and refer to it by its path.'

/** The fields, and the entries of each. */
function sizeOf(target: Fields): number {
  const lengthOf = (value: unknown) =>
    Array.isArray(value) ? value.length : Object.keys(fieldsOf(value)).length
  return Object.values(target).reduce<number>((sum, value) => sum + 1 + lengthOf(value), 1)
}

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

/** The name of the schema that a reference points to. */
export function nameOf(ref: string): string | undefined {
  const [, encoded] = /^#\/components\/schemas\/([^/]+)$/.exec(ref) ?? []
  return encoded === undefined ? undefined : decodeSegment(encoded)
}

/** The reference to a schema, as a document writes it. */
export function pointerTo(name: string, place = 'components/schemas'): string {
  return `#/${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
