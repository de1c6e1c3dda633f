// Records of CSV (RFC 4180, UTF-8): a header line that names the columns, then a record for each animal.
// Columns may come in any order; unknown columns are ignored.

import { toExactNumber } from '#kit/json/exact-number.ts'
import { quote } from '#kit/json/json-path.ts'
import { JsonSyntaxError } from '#kit/json/json-syntax-error.ts'
import { decodeUtf8 } from '#kit/json/utf8-text.ts'
import { CsvEndFinder, readCsvFields } from './csv.ts'
import {
  broken,
  type ReadRecord,
  type RecordReader,
  sentenceOf,
  tooLong,
  UnreadableInput,
} from './record.ts'
import { isBlank, LineSplitter, type Piece } from './split-lines.ts'

const known = ['name', 'categoryId', 'status'] as const
const required = ['name', 'categoryId'] as const
const CARRIAGE_RETURN = 0x0d
const smallInteger = /^-?(?:0|[1-9]\d{0,14})$/
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
const rounded = /^-?\d+(?:[.,]\d+)?[eE][+-]?\d+$/

/** How many columns there are, and where ours are: -1 where one is missing. */
interface Header {
  count: number
  columns: Record<(typeof known)[number], number>
}

export function csvReader(): RecordReader {
  const finder = new CsvEndFinder()
  const splitter = new LineSplitter(finder)
  let header: Header | undefined

  function read(pieces: Piece[]): ReadRecord[] {
    const records: ReadRecord[] = []
    for (const piece of pieces) {
      if (!piece.isTooLong && isBlank(piece.bytes)) continue
      if (header) records.push(readRecord(piece, header))
      else header = readHeader(piece)
    }
    return records
  }

  return {
    push: (chunk) => read(splitter.push(chunk)),
    end() {
      const pieces = splitter.end()
      if (!header && pieces.length === 0) {
        throw new UnreadableInput(1, 'The input is empty; CSV begins with a line of column names.')
      }
      const [last] = pieces
      if (last?.isTooLong && finder.isQuoted) {
        throw new UnreadableInput(last.line, 'A quotation mark is opened and never closed.')
      }
      return read(pieces)
    },
  }
}

function readHeader(piece: Piece): Header {
  const { line } = piece
  const read = piece.isTooLong ? { problem: 'The header is too long.' } : fieldsOf(piece)
  if ('problem' in read) throw new UnreadableInput(line, read.problem)
  const names = read.fields
  const has = `The header has: ${names.slice(0, 20).map(quote).join(', ')}.`
  const separator = { ';': 'semicolons', '\t': 'tabs' }[/[;\t]/.exec(names[0] ?? '')?.[0] ?? '']
  if (names.length === 1 && separator) {
    const message = `The columns are separated by ${separator}; separate them by commas (RFC 4180). ${has}`
    throw new UnreadableInput(line, message)
  }
  const missing = required.filter((name) => !names.includes(name))
  if (missing.length > 0) {
    const what = missing.length === 1 ? 'column is' : 'columns are'
    throw new UnreadableInput(line, `The ${what} missing: ${missing.join(', ')}. ${has}`)
  }
  const twice = known.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
  if (twice) throw new UnreadableInput(line, `The column ${twice} is there twice. ${has}`)
  const [name, categoryId, status] = known.map((column) => names.indexOf(column))
  return { count: names.length, columns: { name, categoryId, status } as Header['columns'] }
}

function readRecord(piece: Piece, { count, columns }: Header): ReadRecord {
  if (piece.isTooLong) return tooLong(piece)
  const read = fieldsOf(piece)
  if ('problem' in read) return broken(piece, read.problem)
  const { fields } = read
  if (fields.length !== count) {
    const size = fields.length === 1 ? '1 field' : `${fields.length} fields`
    return broken(piece, `The record has ${size}; the header has ${count}.`)
  }
  // What is empty is not there: CSV has no other way to leave a field out.
  const value: Record<string, unknown> = { name: fields[columns.name] }
  const categoryId = fields[columns.categoryId]
  if (categoryId && rounded.test(categoryId)) {
    const message = `categoryId ${categoryId} is in scientific notation, in which spreadsheets lose digits. Format the column as text and write all digits.`
    return {
      line: piece.line,
      bytes: piece.bytes,
      value,
      problems: [{ path: 'categoryId', message }],
    }
  }
  if (categoryId) value.categoryId = readInteger(categoryId)
  const status = fields[columns.status]
  if (status) value.status = status
  return { line: piece.line, bytes: piece.bytes, value, problems: [] }
}

function fieldsOf({ bytes }: Piece): ReturnType<typeof readCsvFields> {
  const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length
  try {
    return readCsvFields(decodeUtf8(bytes.subarray(0, end)))
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    return { problem: sentenceOf(error) }
  }
}

/** An integer to the last digit; NaN for what is none. */
function readInteger(text: string): number | bigint {
  if (smallInteger.test(text)) return Number(text) + 0
  return number.test(text) ? toExactNumber(text) : Number.NaN
}
