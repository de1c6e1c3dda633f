// Follows `$ref` within a document whose files are joined. A reference that is circular or has no target is an error of the
// document; so is what leads to the same large parts again and again.

import { cut } from '../../sources/plain-text.ts'
import { type Fields, isFields } from './document-values.ts'
import { decodeSegment, valueAt } from './json-pointer.ts'
import type { ApiDocument } from './read-document.ts'

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
const schemaRef = /^#\/components\/schemas\/([^/]+)$/

/** Throws DeployFailure, with the line of the `$ref`. */
export function createResolver(document: ApiDocument): Resolve {
  const targets = new Map<string, unknown>()
  const sizes = new WeakMap<object, number>()
  let looks = 0

  /** Counts what the caller looks at. A small document can lead to the same fields very often. */
  function count(target: unknown): void {
    if (!isFields(target)) return
    looks += sizes.getOrInsertComputed(target, () => sizeOf(target))
    if (looks <= maxLooks) return
    throw document.fault(
      'This document takes too long to render, because large schemas are repeated by $ref. Make it smaller, or split it.',
    )
  }

  return (value) => {
    const passed: string[] = []
    let siblings: Fields | undefined
    let current = value
    while (isFields(current) && typeof current.$ref === 'string') {
      const ref = current.$ref
      if (passed.includes(ref)) {
        throw document.refFault(`The $ref ${quote(ref)} points back to itself.`, ref)
      }
      if (passed.length === maxChain) {
        const message = `The $ref ${quote(ref)} is reached through more than ${maxChain} others.`
        throw document.refFault(message, ref)
      }
      passed.push(ref)
      count(current)
      siblings = withoutRef(current, siblings)
      current = targets.getOrInsertComputed(ref, () => findTarget(document, ref))
    }
    count(current)
    const [ref] = passed
    if (ref === undefined) return { value }
    const merged = siblings && isFields(current) ? { ...current, ...siblings } : current
    return { value: merged, ref, name: nameOf(ref) }
  }
}

/** The fields, and the entries of each. */
function sizeOf(target: Fields): number {
  const lengthOf = (value: unknown) =>
    Array.isArray(value) ? value.length : isFields(value) ? Object.keys(value).length : 0
  return Object.values(target).reduce<number>((sum, value) => sum + 1 + lengthOf(value), 1)
}

function withoutRef(fields: Fields, outer: Fields | undefined): Fields | undefined {
  const { $ref: _, ...siblings } = fields
  return Object.keys(siblings).length === 0 ? outer : { ...siblings, ...outer }
}

/** The name of the schema that a reference points to. */
export function nameOf(ref: string): string | undefined {
  const [, encoded] = schemaRef.exec(ref) ?? []
  return encoded === undefined ? undefined : decodeSegment(encoded)
}

/** The reference to a schema, as a document writes it. */
export function pointerTo(name: string): string {
  return `#/components/schemas/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

function findTarget(document: ApiDocument, ref: string): unknown {
  if (!ref.startsWith('#')) {
    const message = `The $ref ${quote(ref)} points outside the folder. Add the file, and refer to it by its path.`
    throw document.refFault(message, ref)
  }
  if (ref !== '#' && !ref.startsWith('#/')) {
    throw document.refFault(
      `The $ref ${quote(ref)} is not a JSON pointer. Write it as #/components/….`,
      ref,
    )
  }
  const target = valueAt(document.root, ref.slice(1))
  if (target) return target.value
  throw document.refFault(`The $ref ${quote(ref)} has no target in the document.`, ref)
}

function quote(ref: string): string {
  return `"${cut(ref, 200)}"`
}
