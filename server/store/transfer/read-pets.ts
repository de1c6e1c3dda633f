// Reads animals from an input of any form: every record is validated against the schema of a creation. An id is ignored, as
// a creation ignores it.
import type { Problem } from '#kit/errors.ts'
import { compileValidator } from '#kit/schema/checks.ts'
import { NewPet, type PetStatus } from '../animals/schema.ts'
import { type Form, sniffForm } from './forms.ts'
import { csvReader } from './read-csv.ts'
import { jsonArrayReader } from './read-json-array.ts'
import {
  createLineSplitter,
  isBlank,
  LINE_FEED,
  type Piece,
  type ReadRecord,
  type RecordReader,
  readJsonRecord,
  tooLong,
  UnreadableInput,
} from './record.ts'

/** A record that is no animal, and why not. */
export interface Reject {
  line: number
  /** As it stands in the input. */
  bytes: Uint8Array
  problems: Problem[]
  /** What follows cannot be read either. */
  isLast: boolean
}

export interface PetBatch {
  /** In the order of the input. Status is filled in. */
  pets: NewPetRow[]
  rejects: Reject[]
}

export type NewPetRow = [name: string, categoryId: number | bigint, status: PetStatus]

const readers: Record<Form, () => RecordReader> = {
  csv: csvReader,
  ndjson: ndjsonReader,
  json: jsonArrayReader,
}
const validate = compileValidator(NewPet)
const byteOrderMark = Buffer.from('\uFEFF')
const gzipMagic = Buffer.from([0x1f, 0x8b])

/** `form` undefined: detected from the beginning of the input. Nothing is thrown; after a last reject the rest is skipped. */
export function createPetReader(form: Form | undefined) {
  let reader: RecordReader | undefined
  let beginning: Buffer = Buffer.alloc(0)
  let isOver = false

  function open(): RecordReader {
    if (beginning.subarray(0, 2).equals(gzipMagic)) {
      throw new UnreadableInput(1, 'The input is compressed (gzip); decompress it first.')
    }
    // Spreadsheets begin their files with one, and readers of JSON may ignore it (RFC 8259, section 8.1).
    const hasMark = beginning.subarray(0, 3).equals(byteOrderMark)
    if (hasMark) beginning = beginning.subarray(3)
    return readers[form ?? sniffForm(beginning)]()
  }

  function read(take: () => ReadRecord[]): PetBatch {
    if (isOver) return { pets: [], rejects: [] }
    try {
      return sort(take())
    } catch (error) {
      if (!(error instanceof UnreadableInput)) throw error
      isOver = true
      const { line, message } = error
      const problems = [{ path: '', message }]
      return { pets: [], rejects: [{ line, bytes: new Uint8Array(), problems, isLast: true }] }
    }
  }

  return {
    push: (chunk: Buffer) =>
      read(() => {
        if (reader) return reader.push(chunk)
        beginning = Buffer.concat([beginning, chunk])
        if (beginning.length < byteOrderMark.length) return []
        reader = open()
        return reader.push(beginning)
      }),
    end: () =>
      read(() => {
        if (reader) return reader.end()
        reader = open()
        return [...reader.push(beginning), ...reader.end()]
      }),
  }
}

function sort(records: ReadRecord[]): PetBatch {
  const batch: PetBatch = { pets: [], rejects: [] }
  for (const { line, bytes, problems: known, value } of records) {
    const problems = known.length > 0 ? known : validate(value)
    if (problems.length > 0) {
      batch.rejects.push({ line, bytes, problems: problems.map(ofRecord), isLast: false })
      continue
    }
    const { name, categoryId, status = 'available' } = value as NewPet
    batch.pets.push([name, categoryId, status])
  }
  return batch
}

/** The validator calls the whole of what it is given the body. */
function ofRecord({ path, message }: Problem): Problem {
  return { path, message: path === '' ? message.replace(/^The body /, 'The record ') : message }
}

/** Reads NDJSON: a JSON value on each line. Blank lines are skipped. */
function ndjsonReader(): RecordReader {
  const splitter = createLineSplitter((data, from) => data.indexOf(LINE_FEED, from))
  return {
    push: (chunk) => read(splitter.push(chunk)),
    end: () => read(splitter.end()),
  }
}

function read(pieces: Piece[]): ReadRecord[] {
  const records: ReadRecord[] = []
  for (const piece of pieces) {
    if (piece.isTooLong) records.push(tooLong(piece))
    else if (!isBlank(piece.bytes)) records.push(readJsonRecord(piece, true))
  }
  return records
}
