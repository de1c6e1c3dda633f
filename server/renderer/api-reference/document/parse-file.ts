// Reads one file of an OpenAPI document: YAML or JSON as plain values, and the lines of its fields and references for errors.
// Large JSON is read by the JSON parser, in a tenth of the memory; its lines are searched for when an error needs them.

import { isMap, isNode, isScalar, LineCounter } from 'yaml'
import { DeployFailure } from '../../site-files/site-file.ts'
import { cut } from '../../sources/plain-text.ts'
import { createPlainReader, decodeSource, parseYaml } from '../../sources/source-text.ts'
import type { Fields } from './document-values.ts'

export interface ParsedFile {
  path: string
  value: unknown
  /** Whether a `$ref` points to another file. */
  hasOuterRefs: boolean
  /** A field that is a number as it is written, such as `1.0`. */
  writtenNumber?: (...keys: string[]) => string | undefined
  /** An error at the field below `keys`, or at what is around it. */
  fault(message: string, ...keys: string[]): DeployFailure
  /** An error at the first `$ref` with this text, of which `words` say what is wrong. */
  refFault(words: string, ref: string): DeployFailure
}

/** Of all files of a document together. */
export const maxBytes = 50 * 1024 * 1024
/** Larger JSON is read by the JSON parser. */
const maxYamlJson = 1024 * 1024
/** Its nodes take 50 times as much memory. */
const maxYaml = 10 * 1024 * 1024
const maxDepth = 150

/** Throws DeployFailure with file and line. */
export function parseFile(path: string, bytes: Uint8Array): ParsedFile {
  const failure = (message: string, line?: number) =>
    new DeployFailure(message, { file: path, line })
  if (bytes.length > maxBytes) {
    throw failure('An OpenAPI document may have at most 50 MB. Split it by its audience.')
  }
  const text = decodeSource(bytes, path)
  const isLargeJson = bytes.length > maxYamlJson && /^\s*[[{]/.test(text)
  if (!isLargeJson && bytes.length > maxYaml) {
    throw failure('YAML may have at most 10 MB. Convert it to JSON, which may have 50 MB.')
  }
  const { lineAt, lineOfRef, ...parsed } = isLargeJson
    ? readJson(text, failure)
    : readYaml(text, path, failure)
  return {
    path,
    ...parsed,
    fault: (message, ...keys) => failure(message, lineAt(keys)),
    refFault: (words, ref) => failure(`The $ref "${cut(ref, 200)}" ${words}`, lineOfRef(ref)),
  }
}

type Failure = (message: string, line?: number) => DeployFailure

function readYaml(text: string, file: string, failure: Failure) {
  const { contents, lineAt } = parseYaml(
    text,
    { file, firstLine: 1 },
    'The OpenAPI document cannot be read: ',
    // Directives of the document (%YAML 1.1, tags) do not change how it is parsed.
    { intAsBigInt: true, schema: 'core', merge: false, resolveKnownTags: false, logLevel: 'error' },
  )
  const lineOf = (offset?: number) => (offset === undefined ? undefined : lineAt(offset))
  const { read, refs } = createPlainReader(
    (message, offset) => failure(`The OpenAPI document cannot be used: ${message}`, lineOf(offset)),
    // With aliases written out. A value has two characters at least, most have ten.
    Math.max(1_000_000, Math.ceil(text.length / 8)),
  )
  return {
    value: read(contents),
    hasOuterRefs: refs.keys().some((ref) => !ref.startsWith('#')),
    lineOfRef: (ref: string) => lineOf(refs.get(ref)),
    lineAt(keys: readonly string[]) {
      let node: unknown = contents
      let offset: number | undefined = isNode(contents) ? contents.range?.[0] : 0
      for (const key of keys) {
        const pairs = isMap(node) ? node.items : []
        const pair = pairs.find((item) => isScalar(item.key) && String(item.key.value) === key)
        if (!isNode(pair?.key)) break
        offset = pair.key.range?.[0]
        node = pair.value
      }
      return lineOf(offset)
    },
    writtenNumber(...keys: string[]) {
      const node = isMap(contents) ? contents.getIn(keys, true) : undefined
      return isScalar(node) ? node.source : undefined
    },
  }
}

function readJson(text: string, failure: Failure) {
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1)
  const fault = (message: string, place = 0) =>
    failure(`The OpenAPI document cannot be read: ${message}`, lines.linePos(place).line)
  // A reviver sees each value; most documents have no integers that JavaScript would round.
  const exact = /[:[,]\s*-?\d{16}/.test(text) ? exactIntegers : undefined
  let value: unknown
  try {
    value = JSON.parse(text, exact)
  } catch (error) {
    const [, position] = /position (\d+)/.exec(String(error)) ?? []
    throw fault(`It is not valid JSON. ${error}`, Number(position ?? 0))
  }
  if (isDeeper(value, maxDepth)) throw fault(`It is nested deeper than ${maxDepth} levels.`)
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
  const hasOuterRefs = /"\$ref"\s*:\s*"(?!#)/.test(text)
  return { value, hasOuterRefs, lineAt, lineOfRef: (ref: string) => lineAt([ref]) }
}

function exactIntegers(_: string, value: unknown, { source = '' }: { source?: string } = {}) {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value)
  return isRounded && /^-?\d+$/.test(source) ? BigInt(source) : value
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value as Fields).some((item) => isDeeper(item, levels - 1))
}
