// Follows `$ref` within the document. A chain that comes back to itself, leads nowhere or leaves the
// document is the document's fault.
import { type Fields, hasField, isFields } from './document-values.ts'
import type { ApiDocument } from './read-document.ts'

export interface Resolved {
  /** What stands at the end; fields beside a `$ref` go before those of its target. */
  value: unknown
  /** The first `$ref` on the way, if there was one: equal ones mean the same thing. */
  ref?: string
  /** The name in `components/schemas`, if that is where `ref` leads. */
  name?: string
}

export type Resolve = (value: unknown) => Resolved

const schemaRef = /^#\/components\/schemas\/([^/]+)$/

/** Throws DeployFailure, with the line of the `$ref`. */
export function createResolver(document: ApiDocument): Resolve {
  const targets = new Map<string, unknown>()

  function target(ref: string): unknown {
    if (!targets.has(ref)) targets.set(ref, findTarget(document, ref))
    return targets.get(ref)
  }

  return (value) => {
    const passed: string[] = []
    let siblings: Fields | undefined
    let current = value
    while (isFields(current) && typeof current.$ref === 'string') {
      const ref = current.$ref
      if (passed.includes(ref)) {
        throw document.refFault(`The $ref ${quote(ref)} leads back to itself.`, ref)
      }
      passed.push(ref)
      siblings = withoutRef(current, siblings)
      current = target(ref)
    }
    const [ref] = passed
    if (ref === undefined) return { value }
    const name = nameOf(ref)
    const merged = siblings && isFields(current) ? { ...current, ...siblings } : current
    return { value: merged, ref, ...(name === undefined ? {} : { name }) }
  }
}

function withoutRef(fields: Fields, outer: Fields | undefined): Fields | undefined {
  const { $ref: _, ...siblings } = fields
  return Object.keys(siblings).length === 0 ? outer : { ...siblings, ...outer }
}

/** The name of the schema that a reference means. */
export function nameOf(ref: string): string | undefined {
  const [, encoded] = schemaRef.exec(ref) ?? []
  return encoded === undefined ? undefined : decodeSegment(encoded)
}

function findTarget(document: ApiDocument, ref: string): unknown {
  if (!ref.startsWith('#')) {
    throw document.refFault(
      `The $ref ${quote(ref)} leads out of the document. Bundle it into one file first, for example with \`npx @redocly/cli bundle\`.`,
      ref,
    )
  }
  if (ref !== '#' && !ref.startsWith('#/')) {
    throw document.refFault(
      `The $ref ${quote(ref)} is no JSON pointer. Write it as #/components/….`,
      ref,
    )
  }
  let current: unknown = document.root
  for (const segment of ref.split('/').slice(1)) {
    const key = decodeSegment(segment)
    const isIndex = Array.isArray(current) && /^\d{1,9}$/.test(key)
    if (!isIndex && !hasField(current, key)) {
      throw document.refFault(`The $ref ${quote(ref)} leads to nothing in the document.`, ref)
    }
    current = Array.isArray(current) ? current[Number(key)] : (current as Fields)[key]
  }
  return current
}

function decodeSegment(segment: string): string {
  let text = segment
  try {
    text = decodeURIComponent(segment)
  } catch {
    // A lone percent sign means itself.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}

function quote(ref: string): string {
  return `"${ref.length > 200 ? `${ref.slice(0, 200)}…` : ref}"`
}
