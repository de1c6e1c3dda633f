// Makes one document of several files: a `$ref` to another file is replaced by what it points to, as in a bundle. Schemas of
// other files get a name in `components/schemas`, so that they have a page and may contain themselves. Files are only those
// of the folder that was deployed; what the document says after its references are written out is bounded.

import { posix } from 'node:path'
import { DeployFailure } from '../../site-files/site-file.ts'
import { createNumbering, cut } from '../../sources/plain-text.ts'
import { type Fields, fieldOf, fieldsOf, hasField, isFields } from './document-values.ts'
import { decoded, decodeSegment, encodeSegment, valueAt } from './json-pointer.ts'
import { type ParsedFile, parseFile } from './parse-file.ts'

/** Of all files together. */
export const maxDocumentBytes = 50 * 1024 * 1024
const maxWritten = 8_000_000
const maxDepth = 150

/** What a value is, as far as references in it are concerned; `entries` are the schemas of the document. */
type Kind = 'any' | 'map' | 'schema' | 'schemas' | 'entries' | 'literal'

const named = (kind: Kind, keys: string) => keys.split(' ').map((key) => [key, kind] as const)
const kinds = new Map([
  ...named('literal', 'example value dataValue security'),
  ...named('schema', 'schema'),
  ...named('entries', 'schemas definitions'),
  ...named('map', 'callbacks examples headers parameters paths pathItems requestBodies responses'),
])
const schemaKinds = new Map([
  ...named('literal', 'example examples default enum const'),
  ...named('schemas', 'properties patternProperties dependentSchemas definitions $defs'),
  ...named('schemas', 'allOf anyOf oneOf prefixItems'),
  ...named('schema', 'items additionalProperties unevaluatedProperties contains propertyNames'),
  ...named('schema', 'not if then else'),
])

function kindOf(key: string, kind: Kind, isList: boolean): Kind {
  if (kind === 'schemas' || kind === 'entries') return 'schema'
  if (kind === 'map') return 'any'
  if (isList) return kind
  // An extension may refer to anything; headers may have such names.
  if (kind === 'any' && key.startsWith('x-')) return 'literal'
  return (kind === 'schema' ? schemaKinds : kinds).get(key) ?? 'any'
}

/**
 * Changes `main` in place; returns the paths of the other files that it is made of. Throws DeployFailure with the place of
 * the `$ref`.
 */
export function joinFiles(main: ParsedFile, sources: ReadonlyMap<string, Uint8Array>): Set<string> {
  const { value: root } = main
  if (!main.hasOuterRefs || !isFields(root)) return new Set()
  const files = new Map([[main.path, main]])
  const names = new Map<unknown, string>()
  const added: Fields = Object.create(null)
  /** Schemas that have a name, but whose references are not followed yet. */
  const pending = new Map<unknown, ParsedFile>()
  /** How many values it has with its references written out; undefined while they are followed. */
  const sizes = new Map<unknown, number | undefined>()
  /** References that stay. */
  const final = new WeakSet<object>()
  const key = hasField(root, 'swagger') ? 'definitions' : 'schemas'
  const owner = key === 'definitions' ? root : fieldsOf(fieldOf(root, 'components'))
  let bytes = sources.get(main.path)?.length ?? 0

  function refuse(message: string, file: ParsedFile, ref: string): never {
    const line = file.lineOfRef(ref)
    throw new DeployFailure(`The $ref "${cut(ref, 200)}" ${message}`, { file: file.path, line })
  }

  function fileAt(path: string, from: ParsedFile, ref: string): ParsedFile {
    const known = files.get(path)
    if (known) return known
    const content = sources.get(path)
    if (content === undefined) {
      const missing = `there is no file ${cut(path, 200)}. Correct the path, or add the file.`
      refuse(`has no target: ${missing}`, from, ref)
    }
    bytes += content.length
    if (bytes > maxDocumentBytes) refuse('is too much: the files have more than 50 MB.', from, ref)
    const file = parseFile(path, content)
    files.set(path, file)
    return file
  }

  function targetOf(ref: string, from: ParsedFile) {
    const [path, fragment] = placeOf(ref, from.path)
    if (/^\.\.(\/|$)/.test(path)) {
      refuse('points outside the folder. Add the file, and refer to it by its path.', from, ref)
    }
    if (fragment !== '' && !fragment.startsWith('/')) {
      refuse('is not a JSON pointer. Write it as file.yaml#/name.', from, ref)
    }
    const file = fileAt(path, from, ref)
    const target = valueAt(file.value, fragment)
    if (!target) refuse(`has no target in ${cut(file.path, 200)}.`, from, ref)
    return { value: target.value, file, fragment }
  }

  /** Whether it is a reference that has to be followed. Those to the web are refused where the document needs them. */
  function isOpenRef(item: unknown, file: ParsedFile): item is Fields & { $ref: string } {
    const ref = fieldOf(item, '$ref')
    if (typeof ref !== 'string' || final.has(item as object) || isWebRef.test(ref)) return false
    return file !== main || !ref.startsWith('#')
  }

  const isThere = (ref: string, file: ParsedFile) => sources.has(placeOf(ref, file.path)[0])

  /** Writes the references in a value out, in place. */
  function join(value: unknown, kind: Kind, file: ParsedFile, depth: number): void {
    if (typeof value !== 'object' || value === null || kind === 'literal' || sizes.has(value))
      return
    const fault = (message: string) => new DeployFailure(message, { file: file.path })
    if (depth > maxDepth) throw fault(`The document is nested deeper than ${maxDepth} levels.`)
    sizes.set(value, undefined)
    const fields = value as Fields
    // Schemas have the names that the document gives them.
    const keys = Object.keys(fields).sort((a, b) => (value === root ? isFirst(b) - isFirst(a) : 0))
    let size = 1
    for (const name of keys) {
      const inner = kindOf(name, kind, Array.isArray(value))
      const item = fields[name]
      if (kind === 'schema' && name === 'discriminator') joinMapping(item, file)
      if (!isOpenRef(item, file)) join(item, inner, file, depth + 1)
      else if (inner !== 'literal' || isThere(item.$ref, file)) {
        fields[name] = follow(item, inner, file, depth + 1, kind === 'entries' ? name : undefined)
      }
      size += sizes.get(fields[name]) ?? 1
    }
    sizes.set(value, size)
    if (size <= maxWritten) return
    throw fault('The document has more than 8,000,000 values with its references written out.')
  }

  /** What takes the place of a reference. `entry`: its name, if it is one of the schemas of the document. */
  function follow(
    { $ref: ref, ...siblings }: Fields & { $ref: string },
    kind: Kind,
    from: ParsedFile,
    depth: number,
    entry?: string,
  ): unknown {
    const { value, file, fragment } = targetOf(ref, from)
    const hasSiblings = Object.keys(siblings).length > 0
    const isOpen = sizes.has(value) && sizes.get(value) === undefined
    const isSchema = kind === 'schema' && isFields(value) && !final.has(value)
    if (depth > maxDepth || (isOpen && !isSchema)) refuse('points back to itself.', from, ref)
    if (file === main && fragment !== '') return keep(`#${fragment}`, siblings)
    let target = value
    if (isOpenRef(value, file)) target = follow(value, kind, file, depth + 1, entry)
    else if (isSchema) {
      const own = names.has(value) || hasSiblings ? undefined : entry
      const newName = () => own ?? toUnique(nameFor(file.path, fragment))
      const name = names.getOrInsertComputed(value, newName)
      pending.set(value, file)
      if (own === undefined) {
        added[name] = value
        return keep(pointerTo(name), siblings)
      }
    } else join(value, kind, file, depth + 1)
    if (!isFields(target) || !hasSiblings) return target
    const merged = { ...target, ...siblings }
    sizes.set(merged, sizes.get(target) ?? 1)
    if (final.has(target)) final.add(merged)
    return merged
  }

  const pointerTo = (name: string) =>
    `#/${key === 'schemas' ? 'components/schemas' : key}/${encodeSegment(name)}`

  function keep($ref: string, siblings: Fields): Fields {
    const reference = { ...siblings, $ref }
    final.add(reference)
    return reference
  }

  /** Its values are references, too, if they are paths of files that are there. */
  function joinMapping(discriminator: unknown, file: ParsedFile): void {
    const mapping = fieldsOf(fieldOf(discriminator, 'mapping'))
    for (const [name, $ref] of Object.entries(mapping)) {
      const reference = { $ref }
      if (!isOpenRef(reference, file) || !/[/.]/.test(reference.$ref)) continue
      if (!isThere(reference.$ref, file)) continue
      mapping[name] = fieldOf(follow(reference, 'schema', file, 0), '$ref') ?? $ref
    }
  }

  const own = owner[key]
  const entries = isOpenRef(own, main) ? targetOf(own.$ref, main).value : own
  const toUnique = createNumbering(1, Object.keys(fieldsOf(entries)))
  join(root, 'any', main, 0)
  for (const [value, file] of pending) join(value, 'schema', file, 1)
  if (Object.keys(added).length > 0) {
    owner[key] = { ...fieldsOf(owner[key]), ...added }
    if (key === 'schemas') root.components = owner
  }
  files.delete(main.path)
  return new Set(files.keys())
}

const isWebRef = /^[a-z][\w+.-]*:|^\/\//i
const isFirst = (key: string) => Number(key === 'components' || key === 'definitions')

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
