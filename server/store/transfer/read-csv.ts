// Records of CSV (RFC 4180, UTF-8): a header line that names the columns, then a record for each animal.
// Columns may come in any order; unknown columns are ignored.
import { toExactNumber } from '#kit/json/exact-number.ts'
import { decodeUtf8, JsonSyntaxError, quote } from '#kit/json/json-syntax-error.ts'
import {
  broken,
  createLineSplitter,
  isBlank,
  LINE_FEED,
  type Piece,
  type ReadRecord,
  type RecordReader,
  sentenceOf,
  tooLong,
  UnreadableInput,
} from './record.ts'

const columnNames = ['name', 'categoryId', 'status'] as const
const required = ['name', 'categoryId'] as const
const CARRIAGE_RETURN = 0x0d
const smallInteger = /^-?(?:0|[1-9]\d{0,14})$/
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
const rounded = /^-?\d+(?:[.,]\d+)?[eE][+-]?\d+$/

/** How many columns there are, and where ours are: -1 where one is missing. */
interface Header {
  count: number
  columns: Record<(typeof columnNames)[number], number>
}

export function csvReader(): RecordReader {
  const finder = createCsvEndFinder()
  const splitter = createLineSplitter(finder.find)
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
      if (last?.isTooLong && finder.isQuoted()) {
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
  const twice = columnNames.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
  if (twice) throw new UnreadableInput(line, `The column ${twice} is there twice. ${has}`)
  const [name, categoryId, status] = columnNames.map((column) => names.indexOf(column))
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

type CsvFields = { fields: string[] } | { problem: string }

/**
 * The fields of a record, without the line break that ends it, strictly as RFC 4180 has them: spaces belong to the field,
 * quotation marks stand around a whole field and are doubled inside.
 */
function readCsvFields(text: string): CsvFields {
  if (text.includes('\0')) return { problem: 'The record contains a NUL.' }
  if (!text.includes('"')) {
    if (text.includes('\r')) return { problem: strayReturn }
    return { fields: text.split(',') }
  }
  const fields: string[] = []
  for (let at = 0; ; at++) {
    const read = text[at] === '"' ? readQuoted(text, at + 1) : readPlain(text, at)
    if ('problem' in read) return read
    fields.push(read.field)
    at = read.end
    if (at === text.length) return { fields }
    if (text[at] !== ',') {
      return { problem: `Something follows the closing quotation mark of field ${fields.length}.` }
    }
  }
}

type Field = { field: string; end: number } | { problem: string }

const strayReturn =
  'A carriage return stands outside of quotation marks, and not before a line feed.'

function readPlain(text: string, start: number): Field {
  const comma = text.indexOf(',', start)
  const end = comma < 0 ? text.length : comma
  const field = text.slice(start, end)
  if (field.includes('"')) {
    return {
      problem:
        'A quotation mark stands inside a field that does not begin with one; quote the whole field and double the mark.',
    }
  }
  return field.includes('\r') ? { problem: strayReturn } : { field, end }
}

function readQuoted(text: string, start: number): Field {
  for (let from = start; ; ) {
    const quote = text.indexOf('"', from)
    if (quote < 0) return { problem: 'A quotation mark is opened and never closed.' }
    if (text[quote + 1] !== '"') {
      const field = text.slice(start, quote)
      return { field: from === start ? field : field.replaceAll('""', '"'), end: quote + 1 }
    }
    from = quote + 2
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const nowhere = Number.POSITIVE_INFINITY

function createCsvEndFinder() {
  /** Between an opening mark and the one that closes it. */
  let isQuoted = false
  let data: Buffer = Buffer.alloc(0)
  let byteBefore = LINE_FEED
  /** Where a field was closed last: a mark that follows at once is doubled, and stands for one in the field. */
  let closedAt = -2
  // The next of each at or after the place that was asked for last, so that no byte is passed twice.
  let nextQuote = -1
  let nextEnd = -1

  return {
    isQuoted: () => isQuoted,
    find(chunk: Buffer, from: number): number {
      if (chunk !== data) {
        byteBefore = data.at(-1) ?? LINE_FEED
        closedAt -= data.length
        data = chunk
        nextQuote = -1
        nextEnd = -1
      }
      for (let at = from; ; at = nextQuote + 1) {
        if (nextQuote < at) nextQuote = orNowhere(data.indexOf(QUOTE, at))
        if (!isQuoted) {
          if (nextEnd < at) nextEnd = orNowhere(data.indexOf(LINE_FEED, at))
          if (nextEnd < nextQuote) return nextEnd
        }
        if (nextQuote === nowhere) return -1
        if (isQuoted) {
          isQuoted = false
          closedAt = nextQuote
        } else {
          const before = nextQuote === 0 ? byteBefore : data[nextQuote - 1]
          isQuoted = before === COMMA || before === LINE_FEED || closedAt === nextQuote - 1
        }
      }
    },
  }
}

function orNowhere(at: number): number {
  return at < 0 ? nowhere : at
}
