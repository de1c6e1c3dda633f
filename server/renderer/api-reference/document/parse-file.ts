// Reads one file of an OpenAPI document: YAML or JSON as plain values, and the lines of its fields and references for errors.

import { DeployFailure } from '../../site-files/site-file.ts'
import { cut } from '../../sources/plain-text.ts'
import { decodeSource, readYaml } from '../../sources/source-text.ts'

export interface ParsedFile {
  path: string
  value: unknown
  /** Whether a `$ref` points to another file. */
  hasOuterRefs: boolean
  /** The number of characters of the file. */
  length: number
  /** A field that is a number as it is written, such as `1.0`. */
  writtenNumber(...keys: string[]): string | undefined
  /** An error at the field below `keys`, or at what is around it. */
  fault(message: string, ...keys: string[]): DeployFailure
  /** An error at the first `$ref` with this text, of which `words` say what is wrong. */
  refFault(words: string, ref: string): DeployFailure
}

/** Of all files of a document together. */
export const maxBytes = 50 * 1024 * 1024

/** Throws DeployFailure with file and line. */
export function parseFile(path: string, bytes: Uint8Array): ParsedFile {
  const place = { file: path, firstLine: 1 }
  if (bytes.length > maxBytes) {
    const message = 'An OpenAPI document may have at most 50 MB. Split it by its audience.'
    throw new DeployFailure(message, { file: path, line: 1 })
  }
  const source = decodeSource(bytes, path)
  // A value has two characters at least, most have ten.
  const maxValues = Math.max(1_000_000, Math.ceil(source.length / 8))
  const invalid = 'The OpenAPI document cannot be read: '
  const { failure, findPlace, text, value } = readYaml(source, place, invalid, maxValues)
  return {
    path,
    value,
    length: source.length,
    hasOuterRefs: /\$ref["']?\s*:\s*["']?[^"'\s#]/.test(text),
    writtenNumber(...keys) {
      const written = text.slice(findPlace(...keys)).slice(0, 200)
      return /^[^:\n]*:\s*([\d.eE+-]+)/.exec(written)?.[1]
    },
    fault: (message, ...keys) => failure(message, findPlace(...keys)),
    refFault(words, ref) {
      const written = new RegExp(`\\$ref["']?\\s*:\\s*["']?${RegExp.escape(ref)}`)
      return failure(`The $ref "${cut(ref, 200)}" ${words}`, text.search(written))
    },
  }
}
