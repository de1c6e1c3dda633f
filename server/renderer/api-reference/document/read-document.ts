// Reads an OpenAPI document and follows `$ref` within it. A reference that is circular, has no target or
// leaves the document is an error of the document.

import { isMap, isNode, isScalar } from 'yaml'
import { DeployFailure } from '../../site-files/site-file.ts'
import { isHidden } from '../../sources/addresses.ts'
import { cut } from '../../sources/plain-text.ts'
import { createPlainReader, decodeSource, parseYaml } from '../../sources/source-text.ts'
import {
  entriesField,
  type Fields,
  fieldOf,
  hasField,
  isFields,
  textField,
} from './document-values.ts'

export interface ApiDocument {
  /** Path of the source. */
  path: string
  root: Fields
  /** An error at the value below `keys`, or at its parent if it is missing. */
  fault(message: string, ...keys: string[]): DeployFailure
  /** An error at the first `$ref` with this text. */
  refFault(message: string, ref: string): DeployFailure
}

const maxBytes = 10 * 1024 * 1024
const maxSchemas = 10_000
const knownName = /(^|\/)openapi\.(yaml|yml|json)$/i
const documentKey = /^\s*(?:\{\s*)?["']?openapi["']?\s*:\s*["']?3/m

/** The document, if the sources have one. Throws DeployFailure. */
export function readApiDocument(sources: ReadonlyMap<string, Uint8Array>): ApiDocument | undefined {
  const path = findDocument(sources)
  return path === undefined ? undefined : readDocument(path, sources.get(path) as Uint8Array)
}

/** The file with a usual name that is nearest to the root; otherwise a file at the root that declares OpenAPI 3. */
function findDocument(sources: ReadonlyMap<string, Uint8Array>): string | undefined {
  const paths = [...sources.keys()].filter((path) => !isHidden(path)).sort(compareText)
  const depth = (path: string) => path.split('/').length
  const named = paths.filter((path) => knownName.test(path)).sort((a, b) => depth(a) - depth(b))
  return named[0] ?? paths.find((path) => isAtRoot(path) && saysOpenApi(sources.get(path)))
}

const compareText = (a: string, b: string) => (a < b ? -1 : 1)
const isAtRoot = (path: string) => /^[^/]+\.(yaml|yml|json)$/i.test(path)

function saysOpenApi(bytes: Uint8Array | undefined): boolean {
  return bytes !== undefined && documentKey.test(Buffer.from(bytes).toString('latin1', 0, 4096))
}

function readDocument(path: string, bytes: Uint8Array): ApiDocument {
  if (bytes.length > maxBytes) {
    const message = 'An OpenAPI document may have at most 10 MB. Split it by its audience.'
    throw new DeployFailure(message, { file: path })
  }
  const place = { file: path, firstLine: 1 }
  const { contents, lineAt } = parseYaml(
    decodeSource(bytes, path),
    place,
    'The OpenAPI document cannot be read: ',
    // Directives of the document (%YAML 1.1, tags) do not change how it is parsed.
    { intAsBigInt: true, schema: 'core', merge: false, resolveKnownTags: false, logLevel: 'error' },
  )
  const failure = (message: string, offset: number | undefined) =>
    new DeployFailure(message, {
      file: path,
      line: offset === undefined ? undefined : lineAt(offset),
    })
  const { read, refs } = createPlainReader((message, offset) =>
    failure(`The OpenAPI document cannot be used: ${message}`, offset),
  )
  const root = read(contents)
  const fault = (message: string, ...keys: string[]) => failure(message, offsetAt(contents, keys))
  if (!isFields(root)) {
    throw fault('An OpenAPI document is an object with the fields openapi, info and paths.')
  }
  const document: ApiDocument = {
    path,
    root,
    fault,
    refFault: (message, ref) => failure(message, refs.get(ref)),
  }
  check(document)
  const version = isMap(contents) ? contents.getIn(['info', 'version'], true) : undefined
  keepVersionAsWritten(root, version)
  return document
}

function check({ root, fault }: ApiDocument): void {
  const swagger = textField(root, 'swagger')
  if (swagger !== undefined) {
    throw fault(
      'This is a Swagger 2.0 document. Convert it to OpenAPI 3 (with swagger2openapi, for example).',
      'swagger',
    )
  }
  const version = textField(root, 'openapi')
  if (version === undefined) {
    throw fault('The field openapi is missing. It names the version, such as openapi: 3.1.0.')
  }
  if (!/^3(\.|$)/.test(version)) {
    throw fault('Only OpenAPI 3 is rendered: openapi has to be 3.0 or 3.1.', 'openapi')
  }
  for (const name of ['paths', 'webhooks', 'components', 'info']) {
    const value = fieldOf(root, name)
    if (value !== undefined && value !== null && !isFields(value)) {
      throw fault(`The field ${name} has to be an object.`, name)
    }
  }
  if (!isFields(root.paths) && !isFields(root.webhooks)) {
    throw fault('The field paths is missing, so there is nothing to render. Add paths.', 'paths')
  }
  if (entriesField(root.components, 'schemas').length > maxSchemas) {
    throw fault('There are more than 10,000 schemas.', 'components', 'schemas')
  }
}

/** `version: 1.0` is kept as written, not as the number 1. */
function keepVersionAsWritten({ info }: Fields, node: unknown): void {
  if (isFields(info) && isScalar(node) && typeof fieldOf(info, 'version') === 'number') {
    info.version = node.source ?? String(node.value)
  }
}

function offsetAt(contents: unknown, keys: string[]): number {
  let node = contents
  let offset = isNode(contents) ? (contents.range?.[0] ?? 0) : 0
  for (const key of keys) {
    const pair = isMap(node)
      ? node.items.find((item) => isScalar(item.key) && String(item.key.value) === key)
      : undefined
    if (pair === undefined) break
    offset = isNode(pair.key) ? (pair.key.range?.[0] ?? offset) : offset
    node = pair.value
  }
  return offset
}

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

function findTarget(document: ApiDocument, ref: string): unknown {
  if (!ref.startsWith('#')) {
    throw document.refFault(
      `The $ref ${quote(ref)} points outside the document. Bundle it into one file first, for example with \`npx @redocly/cli bundle\`.`,
      ref,
    )
  }
  if (ref !== '#' && !ref.startsWith('#/')) {
    throw document.refFault(
      `The $ref ${quote(ref)} is not a JSON pointer. Write it as #/components/….`,
      ref,
    )
  }
  let current: unknown = document.root
  for (const segment of ref.split('/').slice(1)) {
    const key = decodeSegment(segment)
    const isIndex = Array.isArray(current) && /^\d{1,9}$/.test(key)
    if (!isIndex && !hasField(current, key)) {
      throw document.refFault(`The $ref ${quote(ref)} has no target in the document.`, ref)
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
    // A lone percent sign is kept.
  }
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}

function quote(ref: string): string {
  return `"${cut(ref, 200)}"`
}
