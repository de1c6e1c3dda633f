// Reads one file of an OpenAPI document: YAML or JSON as plain values, and the lines of its fields and references for errors.
// Large JSON is read by the JSON parser, in a tenth of the memory; its lines are searched for when an error needs them.

import { LineCounter } from 'yaml'
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
  writtenNumber(...keys: string[]): string | undefined
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
  const lines = new LineCounter()
  const failure = (message: string, place = 0) =>
    new DeployFailure(message, { file: path, line: lines.linePos(Math.max(place, 0)).line })
  lines.addNewLine(0)
  if (bytes.length > maxBytes) {
    throw failure('An OpenAPI document may have at most 50 MB. Split it by its audience.')
  }
  const text = decodeSource(bytes, path)
  const isLargeJson = bytes.length > maxYamlJson && /^\s*[[{]/.test(text)
  if (!isLargeJson && bytes.length > maxYaml) {
    throw failure('YAML may have at most 10 MB. Convert it to JSON, which may have 50 MB.')
  }
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1)
  const { find, value } = isLargeJson ? readJson(text, failure) : readYaml(text, path, failure)
  return {
    path,
    value,
    hasOuterRefs: /\$ref["']?\s*:\s*["']?[^"'\s#]/.test(text),
    writtenNumber: (...keys) => find(keys).source,
    fault: (message, ...keys) => failure(message, find(keys).offset),
    refFault(words, ref) {
      const written = new RegExp(`\\$ref["']?\\s*:\\s*["']?${RegExp.escape(ref)}`)
      return failure(`The $ref "${cut(ref, 200)}" ${words}`, text.search(written))
    },
  }
}

type Failure = (message: string, place?: number) => DeployFailure
type Found = { offset: number; source?: string | undefined }

function readYaml(text: string, file: string, failure: Failure) {
  const { contents, findPlace } = parseYaml(
    text,
    { file, firstLine: 1 },
    'The OpenAPI document cannot be read: ',
    // Directives of the document (%YAML 1.1, tags) do not change how it is parsed.
    { intAsBigInt: true, schema: 'core', merge: false, resolveKnownTags: false, logLevel: 'error' },
  )
  const read = createPlainReader(
    (message, offset) => failure(`The OpenAPI document cannot be used: ${message}`, offset),
    // With aliases written out. A value has two characters at least, most have ten.
    Math.max(1_000_000, Math.ceil(text.length / 8)),
  )
  return { value: read(contents), find: (keys: string[]): Found => findPlace(...keys) }
}

function readJson(text: string, failure: Failure) {
  const fault = (message: string, place?: number) =>
    failure(`The OpenAPI document cannot be read: ${message}`, place)
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
  /** The first of the words that follow each other; a key can be meant by an earlier equal one. */
  function find(keys: string[]): Found {
    const after = (place: number, key: string) => text.indexOf(JSON.stringify(key), place)
    return { offset: keys.reduce((place, key) => Math.max(place, after(place, key)), 0) }
  }
  return { value, find }
}

function exactIntegers(_: string, value: unknown, { source = '' }: { source?: string } = {}) {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value)
  return isRounded && /^-?\d+$/.test(source) ? BigInt(source) : value
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value as Fields).some((item) => isDeeper(item, levels - 1))
}
