// Makes one document of several files: a `$ref` to another file is replaced by what it points to, as in a bundle. Schemas of
// other files get a name in `components/schemas`, so that they have a page and may contain themselves. Files are only those
// of the folder that was deployed; what the document says after its references are written out is bounded.

import { posix } from 'node:path'
import { createNumbering, cut } from '../../sources/plain-text.ts'
import { type Fields, fieldOf, fieldsOf, hasField, isFields } from './document-values.ts'
import { maxBytes, type ParsedFile, parseFile } from './parse-file.ts'
import { decoded, decodeSegment, isOutside, pointerTo, valueAt } from './resolve-refs.ts'

const maxWritten = 8_000_000
const maxDepth = 150

/**
 * What a value is, as far as references in it are concerned: by the kind of what it is in, and its own key. `entries` are the
 * schemas of the document. A `literal` may be a reference, but nothing in it is one; an extension may contain anything.
 */
type Kind = 'any' | 'map' | 'schema' | 'schemas' | 'entries' | 'literal' | 'targets' | 'target'

const kinds: Partial<Record<Kind, [Kind, RegExp][]>> = {
  any: [
    ['literal', /^(example|value|dataValue|security|x-.*)$/],
    ['schema', /^schema$/],
    ['targets', /^mapping$/],
    ['entries', /^(schemas|definitions)$/],
    ['map', /^(callbacks|examples|headers|parameters|paths|pathItems|requestBodies|responses)$/],
  ],
  schema: [
    ['literal', /^(example|examples|default|enum|const)$/],
    ['schemas', /^(properties|patternProperties|dependentSchemas|definitions|\$defs)$/],
    ['schemas', /^(allOf|anyOf|oneOf|prefixItems)$/],
    ['schema', /^(items|additionalProperties|unevaluatedProperties|contains|propertyNames)$/],
    ['schema', /^(not|if|then|else)$/],
  ],
  schemas: [['schema', /^/]],
  entries: [['schema', /^/]],
  targets: [['target', /^/]],
}

type Reference = Fields & { $ref: string }

/** The items of a list are what the list is, but for lists of schemas. */
function kindOf(key: string, kind: Kind, isList: boolean): Kind {
  if (isList && (kind === 'any' || kind === 'schema')) return kind
  return kinds[kind]?.find(([, keys]) => keys.test(key))?.[0] ?? 'any'
}

/**
 * Changes `main` in place; returns the paths of the other files that it is made of. Throws DeployFailure with the place of
 * the `$ref`.
 */
export function joinFiles(main: ParsedFile, sources: ReadonlyMap<string, Uint8Array>): Set<string> {
  const { value: root } = main
  if (!main.hasOuterRefs || !isFields(root)) return new Set()
  const files = new Map([[main.path, main]])
  let bytes = sources.get(main.path)?.length ?? 0
  /** The schemas of other files that have a name, and those whose names are new in the document. */
  const schemas = new Map<unknown, { name: string; file: ParsedFile }>()
  const added: Fields = Object.create(null)
  /**
   * How many values an object has with its references written out; undefined while they are followed. References that stay
   * are such objects, too.
   */
  const sizes = new Map<unknown, number | undefined>()
  const [owner, key] = hasField(root, 'swagger')
    ? [root, 'definitions']
    : [fieldsOf(fieldOf(root, 'components')), 'schemas']

  function targetOf(ref: string, from: ParsedFile) {
    const fault = (words: string) => from.refFault(words, ref)
    const [path, fragment] = placeOf(ref, from.path)
    if (/^\.\.(\/|$)/.test(path)) throw fault(isOutside)
    const file = files.getOrInsertComputed(path, () => {
      const content = sources.get(path)
      const missing = `has no target: there is no file ${cut(path, 200)}. Correct the path, or add the file.`
      if (content === undefined) throw fault(missing)
      bytes += content.length
      if (bytes > maxBytes) throw fault('is too much: the files have more than 50 MB.')
      return parseFile(path, content)
    })
    return { file, fragment, value: valueAt(file.value, fragment, fault) }
  }

  /**
   * Whether it is a reference that has to be followed. Those to the web are refused where the document needs them; what only
   * may be a reference is one if its file is there.
   */
  function isOpenRef(item: unknown, file: ParsedFile, kind: Kind): item is Reference {
    const ref = fieldOf(item, '$ref')
    if (typeof ref !== 'string' || sizes.has(item) || isWebRef.test(ref)) return false
    if (file === main && ref.startsWith('#')) return false
    return (kind !== 'literal' && kind !== 'target') || sources.has(placeOf(ref, file.path)[0])
  }

  /** The value with its references written out; objects are changed in place. `entry`: its name, if it is one of `entries`. */
  function join(value: unknown, kind: Kind, file: ParsedFile, depth: number, entry?: string) {
    if (kind === 'target') return joinTarget(value, file)
    if (isOpenRef(value, file, kind)) return follow(value, kind, file, depth, entry)
    if (typeof value !== 'object' || value === null || kind === 'literal') return value
    if (sizes.has(value)) {
      // It would have no end as JSON.
      if (sizes.get(value) !== undefined) return value
      throw file.fault('A $ref points back to itself: to what it is in.')
    }
    if (depth > maxDepth) throw file.fault(`The document is nested deeper than ${maxDepth} levels.`)
    sizes.set(value, undefined)
    let size = 1
    const fields = value as Fields
    for (const name of Object.keys(fields)) {
      const inner = kindOf(name, kind, Array.isArray(value))
      const own = kind === 'entries' ? name : undefined
      fields[name] = join(fields[name], inner, file, depth + 1, own)
      size += sizes.get(fields[name]) ?? 1
    }
    sizes.set(value, size)
    if (size <= maxWritten) return value
    throw file.fault('The document has more than 8,000,000 values with its references written out.')
  }

  /** What takes the place of a reference. */
  function follow(item: Reference, kind: Kind, from: ParsedFile, depth: number, entry?: string) {
    const { $ref: ref, ...siblings } = item
    const { value, file, fragment } = targetOf(ref, from)
    const hasSiblings = Object.keys(siblings).length > 0
    const isSchema = kind === 'schema' && isFields(value) && typeof value.$ref !== 'string'
    const isInItself = !isSchema && sizes.has(value) && sizes.get(value) === undefined
    if (depth > maxDepth || isInItself) throw from.refFault('points back to itself.', ref)
    if (file === main && fragment !== '') return keep(`#${fragment}`, siblings)
    if (isSchema) {
      const own = schemas.has(value) || hasSiblings ? undefined : entry
      const { name } = schemas.getOrInsertComputed(value, () => {
        return { name: own ?? toUnique(nameFor(file.path, fragment)), file }
      })
      if (own !== undefined) return value
      added[name] = value
      return keep(pointerTo(name, key === 'schemas' ? undefined : key), siblings)
    }
    const target: unknown = join(value, kind, file, depth + 1, entry)
    if (!isFields(target) || !hasSiblings) return target
    const merged = { ...target, ...siblings }
    sizes.set(merged, sizes.get(target) ?? 1)
    return merged
  }

  function keep($ref: string, siblings: Fields): Fields {
    const reference = { ...siblings, $ref }
    sizes.set(reference, 1)
    return reference
  }

  /** The values of a mapping are references, too, unless they are names. */
  function joinTarget($ref: unknown, file: ParsedFile): unknown {
    const reference = { $ref }
    if (!isOpenRef(reference, file, 'target')) return $ref
    return fieldOf(follow(reference, 'schema', file, 0), '$ref') ?? $ref
  }

  const own = owner[key]
  const entries = isOpenRef(own, main, 'entries') ? targetOf(own.$ref, main).value : own
  const toUnique = createNumbering(1, Object.keys(fieldsOf(entries)))
  // What refers to the whole document would contain itself. Its own schemas come first, so that these keep their names.
  sizes.set(root, undefined)
  for (const name of ['components', 'definitions', ...Object.keys(root)]) {
    if (hasField(root, name)) root[name] = join(root[name], kindOf(name, 'any', false), main, 1)
  }
  sizes.set(root, 1)
  for (const [value, { file }] of schemas) join(value, 'schema', file, 1)
  if (Object.keys(added).length > 0) {
    owner[key] = { ...fieldsOf(owner[key]), ...added }
    if (key === 'schemas') root.components = owner
  }
  files.delete(main.path)
  return new Set(files.keys())
}

const isWebRef = /^[a-z][\w+.-]*:|^\/\//i

/** Such as `Pet` for `models/pet.yaml#/Pet`, `pet` for `models/pet.yaml`. */
function nameFor(path: string, fragment: string): string {
  const last = fragment.split('/').at(-1)
  return last ? decodeSegment(last) : posix.basename(path).replace(/\.\w+$/, '')
}

/** The path of the file and the fragment of a reference in the file `from`. */
function placeOf(ref: string, from: string): [path: string, fragment: string] {
  const [address = '', ...fragment] = ref.split('#')
  const folder = address.startsWith('/') ? '' : posix.dirname(from)
  const path = address === '' ? from : posix.join(folder, decoded(address)).replace(/^\//, '')
  return [path, fragment.join('#')]
}
