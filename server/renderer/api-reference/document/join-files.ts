// Makes one document of several files: a `$ref` to another file is replaced by what it points to, as in a bundle. Schemas of
// other files get a name in `components/schemas`, so that they have a page and may contain themselves. Files are only those
// of the folder that was deployed; what the document says after its references are written out is bounded.

import { posix } from 'node:path'
import { DeployFailure } from '../../site-files/site-file.ts'
import { createNumbering, cut } from '../../sources/plain-text.ts'
import { type Fields, fieldOf, fieldsOf, hasField, isFields } from './document-values.ts'
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

interface Target {
  value: unknown
  file: ParsedFile
}

/**
 * Changes `main` in place; returns the paths of the other files that it is made of. Throws DeployFailure with the place of
 * the `$ref`.
 */
export function joinFiles(main: ParsedFile, sources: ReadonlyMap<string, Uint8Array>): Set<string> {
  const files = new Map([[main.path, main]])
  const names = new Map<unknown, string>()
  const added: Fields = Object.create(null)
  /** Schemas that have a name, but whose references are not followed yet. */
  const pending: Target[] = []
  /** What was followed, and how many values it has with its references written out. */
  const sizes = new Map<object, number>()
  const open = new Set<unknown>()
  /** References that stay. */
  const final = new WeakSet<object>()
  const isSwagger = hasField(main.value, 'swagger')
  let toUnique = createNumbering(1)
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
      const message = `has no target: there is no file ${cut(path, 200)}. Correct the path, or add the file.`
      refuse(message, from, ref)
    }
    bytes += content.length
    if (bytes > maxDocumentBytes) refuse('is too much: the files have more than 50 MB.', from, ref)
    const file = parseFile(path, content)
    files.set(path, file)
    return file
  }

  function pathOf(address: string, from: ParsedFile): string {
    if (address === '') return from.path
    const folder = address.startsWith('/') ? '' : posix.dirname(from.path)
    return posix.join(folder, decoded(address)).replace(/^\//, '')
  }

  function targetOf(ref: string, from: ParsedFile): Target & { fragment: string } {
    const [address, fragment] = splitRef(ref)
    const path = pathOf(address, from)
    if (/^\.\.(\/|$)/.test(path)) {
      refuse('points outside the folder. Add the file, and refer to it by its path.', from, ref)
    }
    if (fragment !== '' && !fragment.startsWith('/')) {
      refuse('is not a JSON pointer. Write it as file.yaml#/name.', from, ref)
    }
    const file = fileAt(path, from, ref)
    let value = file.value
    for (const segment of fragment.split('/').slice(1)) {
      const key = decodeSegment(segment)
      if (Array.isArray(value) ? !/^\d{1,9}$/.test(key) : !hasField(value, key)) {
        refuse(`has no target in ${cut(file.path, 200)}.`, from, ref)
      }
      value = (value as Fields)[key]
    }
    return { value, file, fragment }
  }

  /** Whether it is a reference that has to be followed. */
  function isOpenRef(item: unknown, file: ParsedFile): item is Fields & { $ref: string } {
    const ref = fieldOf(item, '$ref')
    if (typeof ref !== 'string' || final.has(item as object)) return false
    // References to the web stay, and are refused where the document needs them.
    return !isWebRef.test(ref) && (file !== main || !ref.startsWith('#'))
  }

  /** Writes the references in a value out, in place. */
  function join(value: unknown, kind: Kind, file: ParsedFile, depth: number): number {
    if (typeof value !== 'object' || value === null || kind === 'literal') return 1
    const known = sizes.get(value)
    if (known !== undefined) return known
    const fault = (message: string) => new DeployFailure(message, { file: file.path })
    if (depth > maxDepth) throw fault(`The document is nested deeper than ${maxDepth} levels.`)
    const fields = value as Fields
    let size = 1
    const keys = Object.keys(fields)
    // Schemas have the names that the document gives them.
    if (value === main.value) keys.sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)))
    for (const key of keys) {
      const item = fields[key]
      const inner = kindOf(key, kind, Array.isArray(value))
      if (kind === 'schema' && key === 'discriminator') joinMapping(item, file)
      if (isOpenRef(item, file)) {
        if (inner === 'literal' && !sources.has(pathOf(splitRef(item.$ref)[0], file))) continue
        const [next, more] = follow(
          item,
          inner,
          file,
          depth + 1,
          kind === 'entries' ? key : undefined,
        )
        fields[key] = next
        size += more
      } else size += join(item, inner, file, depth + 1)
    }
    if (size > maxWritten) {
      throw fault('The document has more than 8,000,000 values with its references written out.')
    }
    sizes.set(value, size)
    return size
  }

  /** `entry`: its name, if it is one of the schemas of the document. */
  function follow(
    { $ref: ref, ...siblings }: Fields & { $ref: string },
    kind: Kind,
    from: ParsedFile,
    depth: number,
    entry?: string,
  ): [value: unknown, size: number] {
    const { value, file, fragment } = targetOf(ref, from)
    const isLoop = depth > maxDepth || open.has(value)
    if (isLoop) refuse('points back to itself.', from, ref)
    if (file === main && fragment !== '') return [keep(`#${fragment}`, siblings), 1]
    if (isOpenRef(value, file)) {
      const [next, size] = follow(value, kind, file, depth + 1, entry)
      return [merged(next, siblings), size]
    }
    if (final.has(value as object)) return [merged(value, siblings), 1]
    if (kind === 'schema' && isFields(value)) {
      const name = names.get(value)
      if (name === undefined && entry !== undefined && Object.keys(siblings).length === 0) {
        names.set(value, entry)
        pending.push({ value, file })
        return [value, 1]
      }
      return [keep(pointerTo(name ?? addSchema(value, file, fragment)), siblings), 1]
    }
    open.add(value)
    const size = join(value, kind, file, depth + 1)
    open.delete(value)
    return [merged(value, siblings), size]
  }

  function addSchema(value: unknown, file: ParsedFile, fragment: string): string {
    const name = toUnique(nameFor(file.path, fragment))
    names.set(value, name)
    added[name] = value
    pending.push({ value, file })
    return name
  }

  const pointerTo = (name: string) =>
    `${isSwagger ? '#/definitions/' : '#/components/schemas/'}${encodeSegment(name)}`

  function keep($ref: string, siblings: Fields): Fields {
    const reference = { ...siblings, $ref }
    final.add(reference)
    return reference
  }

  /** Its values are references, too, if they are paths of files that are there. */
  function joinMapping(discriminator: unknown, file: ParsedFile): void {
    const mapping = fieldOf(discriminator, 'mapping')
    for (const [name, ref] of isFields(mapping) ? Object.entries(mapping) : []) {
      const isPath = typeof ref === 'string' && /[/.]/.test(ref) && isOpenRef({ $ref: ref }, file)
      if (!isPath || !sources.has(pathOf(splitRef(ref)[0], file))) continue
      const [target] = follow({ $ref: ref }, 'schema', file, 0)
      ;(mapping as Fields)[name] = fieldOf(target, '$ref') ?? ref
    }
  }

  if (!main.hasOuterRefs || !isFields(main.value)) return new Set()
  const place = isSwagger ? main.value : fieldOf(main.value, 'components')
  const key = isSwagger ? 'definitions' : 'schemas'
  const own = fieldOf(place, key)
  const entries = isOpenRef(own, main) ? targetOf(own.$ref, main).value : own
  toUnique = createNumbering(1, Object.keys(fieldsOf(entries)))
  let size = join(main.value, 'any', main, 0)
  for (const { value, file } of pending) {
    size += join(value, 'schema', file, 1)
    if (size > maxWritten) refuse('leads to more than 8,000,000 values.', main, '')
  }
  if (Object.keys(added).length > 0) {
    const owner = isSwagger ? main.value : fieldsOf(fieldOf(main.value, 'components'))
    owner[key] = { ...fieldsOf(owner[key]), ...added }
    if (!isSwagger) main.value.components = owner
  }
  return new Set([...files.keys()].filter((path) => path !== main.path))
}

const isWebRef = /^[a-z][\w+.-]*:|^\/\//i
const isFirst = (key: string) => key === 'components' || key === 'definitions'

const merged = (target: unknown, siblings: Fields): unknown =>
  isFields(target) && Object.keys(siblings).length > 0 ? { ...target, ...siblings } : target

/** Such as `Pet` for `models/pet.yaml#/Pet`, `pet` for `models/pet.yaml`. */
function nameFor(path: string, fragment: string): string {
  const last = fragment.split('/').at(-1)
  return last ? decodeSegment(last) : posix.basename(path).replace(/\.\w+$/, '')
}

function splitRef(ref: string): [address: string, fragment: string] {
  const hash = ref.indexOf('#')
  return hash < 0 ? [ref, ''] : [ref.slice(0, hash), ref.slice(hash + 1)]
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

function encodeSegment(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}
