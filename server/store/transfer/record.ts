// What the readers of all formats give: one record after the other, with its place in the input. They take the input in
// chunks of any size and keep no more of it than one record.
import type { Problem } from '#kit/errors.ts'
import { JsonSyntaxError } from '#kit/json/json-syntax-error.ts'
import { parseStrictJson } from '#kit/json/strict-json.ts'

/** A record may have so many bytes as it stands in the input. */
export const maxRecordBytes = 64 * 1024

export interface RawRecord {
  /** Of the record's first line, from 1. */
  line: number
  /** As it stands in the input; of a record that is too long, its beginning. */
  bytes: Uint8Array
}

/** The parts of one record, as they come with the chunks. Of a record that is too long, only the beginning is kept. */
export function createRecordParts() {
  let parts: Buffer[] = []
  let length = 0
  return {
    isEmpty: () => length === 0,
    add(part: Buffer): void {
      const room = maxRecordBytes - length
      if (room > 0) parts.push(part.subarray(0, room))
      length += part.length
    },
    /** All of them; the next part begins another record. */
    take(): { bytes: Buffer; isTooLong: boolean } {
      const [first] = parts
      const bytes = first && parts.length === 1 ? first : Buffer.concat(parts)
      const isTooLong = length > maxRecordBytes
      parts = []
      length = 0
      return { bytes, isTooLong }
    },
  }
}

export interface ReadRecord extends RawRecord {
  /** Undefined when there are problems. */
  value: unknown
  problems: Problem[]
}

export interface RecordReader {
  /** The records that are complete with this chunk. Throws UnreadableInput. */
  push(chunk: Buffer): ReadRecord[]
  /** Those that the end of the input completes. Throws UnreadableInput. */
  end(): ReadRecord[]
}

/** The rest of the input cannot be split into records. The message is a sentence for people. */
export class UnreadableInput extends Error {
  override readonly name = 'UnreadableInput'
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** A record with one thing wrong that is of no field. */
export function broken(record: RawRecord, message: string): ReadRecord {
  return { ...record, value: undefined, problems: [{ path: '', message }] }
}

export function tooLong(record: RawRecord): ReadRecord {
  return broken(record, `The record is longer than ${maxRecordBytes / 1024} KiB.`)
}

/** `isLine`: it stands on a line of its own, so that errors can name columns. */
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

export const LINE_FEED = 0x0a

/**
 * The index at or after `from` of the line feed that ends a record; -1 when it is not in `data`. Is called for each chunk
 * until it gives -1, and keeps in mind what it has seen of the record.
 */
export type FindEnd = (data: Buffer, from: number) => number

export interface Piece extends RawRecord {
  isTooLong: boolean
}

/** Splits an input into records that end with a line feed; `findEnd` says which line feeds end one. */
export function createLineSplitter(findEnd: FindEnd) {
  const parts = createRecordParts()
  let line = 1
  let startLine = 1

  function take(): Piece {
    const piece = { line: startLine, ...parts.take() }
    startLine = line
    return piece
  }

  return {
    /** The records that are complete with this chunk, without their line feeds. */
    push(chunk: Buffer): Piece[] {
      const pieces: Piece[] = []
      for (let start = 0; start < chunk.length; ) {
        const end = findEnd(chunk, start)
        const part = chunk.subarray(start, end < 0 ? chunk.length : end)
        parts.add(part)
        line += countLineFeeds(part)
        if (end < 0) break
        line++
        pieces.push(take())
        start = end + 1
      }
      return pieces
    },
    /** The last record, where no line feed ends it. */
    end: (): Piece[] => (parts.isEmpty() ? [] : [take()]),
  }
}

function countLineFeeds(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++
  return count
}

/** True for a line without anything but spaces. */
export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}
