// Finds the OpenAPI document among the sources and reads it. What is no usable OpenAPI 3 document is
// refused with its place and the mend.
import { isMap, isNode, isScalar, LineCounter, type ParsedNode, parseDocument } from 'yaml'
import { DeployFailure } from '../../site-files/deploy-failure.ts'
import { isHidden } from '../sources/addresses.ts'
import { decodeSource } from '../sources/decode-source.ts'
import {
  entriesField,
  type Fields,
  fieldAt,
  fieldOf,
  isFields,
  textField,
} from './document-values.ts'
import { type PlainValues, plainValues, UnusableNode } from './plain-values.ts'

export interface ApiDocument {
  /** Path of the source. */
  path: string
  root: Fields
  /** A fault at the value below `keys`, or above it where it is missing. */
  fault(message: string, ...keys: string[]): DeployFailure
  /** A fault at the first `$ref` with this text. */
  refFault(message: string, ref: string): DeployFailure
}

const largestBytes = 10 * 1024 * 1024
const limits = { depth: 150, values: 1_000_000 }
const maxSchemas = 10_000
const knownName = /(^|\/)openapi\.(yaml|yml|json)$/i
const documentKey = /^\s*(?:\{\s*)?["']?openapi["']?\s*:\s*["']?3/m

/** The document, if the sources have one. Throws DeployFailure. */
export function readApiDocument(sources: ReadonlyMap<string, Uint8Array>): ApiDocument | undefined {
  const path = findDocument(sources)
  const bytes = path === undefined ? undefined : sources.get(path)
  return path === undefined || bytes === undefined ? undefined : readDocument(path, bytes)
}

/** One of the usual name, the one nearest to the root; else one at the root that says it is OpenAPI 3. */
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
  if (bytes.length > largestBytes) {
    throw new DeployFailure(
      'An OpenAPI document may have at most 10 MB. Split it by its audience.',
      {
        file: path,
      },
    )
  }
  const lines = new LineCounter()
  const parsed = parseDocument(decodeSource(bytes, path), {
    lineCounter: lines,
    intAsBigInt: true,
    // What the document says about itself (%YAML 1.1, tags) does not change how it is read.
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    // plainValues looks for keys that are there twice; the library's search is quadratic.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  })
  const failure = (message: string, offset: number | undefined) =>
    new DeployFailure(message, {
      file: path,
      line: offset === undefined ? undefined : lines.linePos(offset).line,
    })
  const [error] = parsed.errors
  if (error !== undefined) {
    const message =
      error.code === 'RESOURCE_EXHAUSTION' ? 'It is nested too deeply.' : error.message
    throw failure(`The OpenAPI document cannot be read: ${message}`, error.pos[0])
  }
  const contents = parsed.contents as ParsedNode | null
  const { value: root, refs } = readValues(contents, failure)
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
  keepVersionAsWritten(root, parsed.getIn(['info', 'version'], true))
  return document
}

function readValues(
  contents: ParsedNode | null,
  failure: (message: string, offset: number | undefined) => DeployFailure,
): PlainValues {
  try {
    return plainValues(contents, limits)
  } catch (cause) {
    if (!(cause instanceof UnusableNode)) throw cause
    throw failure(`The OpenAPI document cannot be used: ${cause.message}`, cause.offset)
  }
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
    throw fault('The field paths is missing, so there is nothing to show. Add paths.', 'paths')
  }
  if (entriesField(root.components, 'schemas').length > maxSchemas) {
    throw fault('There are more than 10,000 schemas.', 'components', 'schemas')
  }
}

/** `version: 1.0` is meant as it is written, not as the number 1. */
function keepVersionAsWritten({ info }: Fields, node: unknown): void {
  if (isFields(info) && isScalar(node) && typeof fieldAt(info, 'version') === 'number') {
    info.version = node.source ?? String(node.value)
  }
}

function offsetAt(contents: ParsedNode | null, keys: string[]): number {
  let node: unknown = contents
  let offset = contents?.range[0] ?? 0
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
