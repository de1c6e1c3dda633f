// One record of JSON, read strictly from its own bytes, so that its integers keep their digits.
import { JsonSyntaxError } from '../../platform/json/json-syntax-error.ts'
import { parseStrictJson } from '../../platform/json/strict-json.ts'
import type { RawRecord, ReadRecord } from './record.ts'

/** `isLine`: it stands on a line of its own, so that columns can be told. */
export function readJsonRecord(record: RawRecord, isLine: boolean): ReadRecord {
  const { bytes, line } = record
  try {
    return { line, bytes, value: parseStrictJson(bytes), problems: [] }
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    const place = isLine
      ? ` at column ${error.column}`
      : error.line > 1
        ? ` in line ${line + error.line - 1}`
        : ''
    const message = `The JSON is malformed${place}: ${sentenceOf(error)}`
    return { line, bytes, value: undefined, problems: [{ path: error.path, message }] }
  }
}

/** What the strict reader says, without the place, which would be one in the record. */
export function sentenceOf(error: JsonSyntaxError): string {
  return error.message
    .replace(/^Line \d+, column \d+: /, '')
    .replace('encode the body as UTF-8', 'encode the input as UTF-8')
}
