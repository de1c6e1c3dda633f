// Reads one file of an OpenAPI document: YAML or JSON as plain values, and the lines of its fields and references for errors.
// Large JSON is read by the JSON parser, in a tenth of the memory; its lines are searched for when an error needs them.

import { isMap, isNode, isScalar, LineCounter } from 'yaml'
import { DeployFailure } from '../../site-files/site-file.ts'
import { createPlainReader, decodeSource, parseYaml } from '../../sources/source-text.ts'
import type { Fields } from './document-values.ts'

export interface ParsedFile {
  path: string
  value: unknown
  /** The line of the field below `keys`, or of what is around it. */
  lineAt(keys: readonly string[]): number | undefined
  /** The line of the first `$ref` with this text. */
  lineOfRef(ref: string): number | undefined
  /** Whether a `$ref` points to another file. */
  hasOuterRefs: boolean
  /** A field that is a number as it is written, such as `1.0`. */
  writtenNumber(...keys: string[]): string | undefined
}

/** Larger JSON is read by the JSON parser. */
const maxYamlJson = 1024 * 1024
/** Its nodes take 50 times as much memory. */
const maxYaml = 10 * 1024 * 1024
const maxDepth = 150

/** Throws DeployFailure with file and line. */
export function parseFile(path: string, bytes: Uint8Array): ParsedFile {
  const text = decodeSource(bytes, path)
  const failure = (message: string, line?: number) =>
    new DeployFailure(message, { file: path, line })
  if (bytes.length > maxYamlJson && /^\s*[[{]/.test(text)) return parseJson(path, text)
  if (bytes.length > maxYaml) {
    throw failure(
      'OpenAPI in YAML may have at most 10 MB. Convert it to JSON, which may have 50 MB.',
    )
  }
  const { contents, lineAt } = parseYaml(
    text,
    { file: path, firstLine: 1 },
    'The OpenAPI document cannot be read: ',
    // Directives of the document (%YAML 1.1, tags) do not change how it is parsed.
    { intAsBigInt: true, schema: 'core', merge: false, resolveKnownTags: false, logLevel: 'error' },
  )
  const lineOf = (offset?: number) => (offset === undefined ? undefined : lineAt(offset))
  const { read, refs } = createPlainReader(
    (message, offset) => failure(`The OpenAPI document cannot be used: ${message}`, lineOf(offset)),
    maxValues(bytes.length),
  )
  return {
    path,
    value: read(contents),
    lineAt: (keys) => lineAt(offsetAt(contents, keys)),
    lineOfRef: (ref) => lineOf(refs.get(ref)),
    hasOuterRefs: [...refs.keys()].some((ref) => !ref.startsWith('#')),
    writtenNumber(...keys) {
      const node = isMap(contents) ? contents.getIn(keys, true) : undefined
      return isScalar(node) ? node.source : undefined
    },
  }
}

/** With aliases written out. A value has two characters at least, most have ten. */
const maxValues = (bytes: number) => Math.max(1_000_000, Math.ceil(bytes / 8))

function offsetAt(contents: unknown, keys: readonly string[]): number {
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

function parseJson(path: string, text: string): ParsedFile {
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
    lines.addNewLine(at + 1)
  const failure = (message: string, place: number) => {
    const { line } = lines.linePos(place)
    return new DeployFailure(`The OpenAPI document cannot be read: ${message}`, {
      file: path,
      line,
    })
  }
  // A reviver sees each value; most documents have no integers that JavaScript would round.
  const exact = /[:[,]\s*-?\d{16}/.test(text) ? exactIntegers : undefined
  let value: unknown
  try {
    value = JSON.parse(text, exact)
  } catch (error) {
    const [, position] = /position (\d+)/.exec(String(error)) ?? []
    throw failure(`It is not valid JSON. ${error}`, Number(position ?? 0))
  }
  if (isDeeper(value, maxDepth)) throw failure(`It is nested deeper than ${maxDepth} levels.`, 0)
  /** Where the first of the words is that follow each other; a key can be meant by an earlier equal one. */
  const lineAt = (words: readonly string[]) => {
    let place = 0
    for (const word of words) {
      const next = text.indexOf(JSON.stringify(word), place)
      if (next < 0) break
      place = next
    }
    return lines.linePos(place).line
  }
  return {
    path,
    value,
    lineAt,
    lineOfRef: (ref) => lineAt([ref]),
    hasOuterRefs: /"\$ref"\s*:\s*"(?!#)/.test(text),
    writtenNumber: () => undefined,
  }
}

function exactIntegers(_: string, value: unknown, { source = '' }: { source?: string } = {}) {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value)
  return isRounded && /^-?\d+$/.test(source) ? BigInt(source) : value
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value as Fields).some((item) => isDeeper(item, levels - 1))
}
