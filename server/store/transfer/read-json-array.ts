// Records of a JSON array: cut at the commas of its own level, each then read from its own bytes. Only
// what lies between the records is judged here; what is wrong inside one is an error of that record.
import {
  createRecordParts,
  type ReadRecord,
  type RecordReader,
  readJsonRecord,
  tooLong,
  UnreadableInput,
} from './record.ts'

const LINE_FEED = 0x0a
const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const isSpace = (byte: number) =>
  byte === 0x20 || byte === LINE_FEED || byte === 0x0d || byte === 0x09
const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d

type Place = 'before the array' | 'first value' | 'next value' | 'in a value' | 'after the array'

export function jsonArrayReader(): RecordReader {
  let place: Place = 'before the array'
  let line = 1
  /** Of the record that has begun: its line, its parts, how deep we are inside it. */
  let startLine = 1
  const parts = createRecordParts()
  let depth = 0
  let isString = false
  let isEscaped = false
  let unreadable: UnreadableInput | undefined

  function finish(records: ReadRecord[]): void {
    const { bytes, isTooLong } = parts.take()
    const record = { line: startLine, bytes }
    records.push(isTooLong ? tooLong(record) : readJsonRecord(record, false))
  }

  /** Reads on inside a value; gives the index of the comma or bracket that ends it, or the data's end. */
  function skipValue(data: Buffer, from: number): number {
    for (let at = from; at < data.length; at++) {
      const byte = data[at] as number
      if (byte === LINE_FEED) line++
      if (isString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isString = false
      } else if (byte === QUOTE) isString = true
      else if (isOpening(byte)) depth++
      else if (isClosing(byte)) {
        if (depth === 0) return at
        depth--
      } else if (byte === COMMA && depth === 0) return at
    }
    return data.length
  }

  /** Takes a byte between values; true when a value begins with it. */
  function takeBetween(byte: number): boolean {
    if (byte === LINE_FEED) line++
    if (isSpace(byte)) return false
    if (place === 'before the array') {
      if (byte !== 0x5b) throw new UnreadableInput(line, notAnArray)
      place = 'first value'
      return false
    }
    if (place === 'after the array') {
      throw new UnreadableInput(line, 'Something follows the end of the array.')
    }
    if (byte === 0x5d && place === 'first value') {
      place = 'after the array'
      return false
    }
    if (byte === COMMA) {
      throw new UnreadableInput(line, 'A value is missing before a comma of the array.')
    }
    if (isClosing(byte)) {
      const end = 'A comma stands before the end of the array; remove the comma.'
      throw new UnreadableInput(line, byte === 0x5d ? end : 'A closing brace has no opening one.')
    }
    return true
  }

  function readChunk(data: Buffer, records: ReadRecord[]): void {
    for (let at = 0; at < data.length; ) {
      if (place !== 'in a value') {
        if (!takeBetween(data[at] as number)) {
          at++
          continue
        }
        place = 'in a value'
        startLine = line
        depth = 0
      }
      const end = skipValue(data, at)
      parts.add(data.subarray(at, end))
      at = end + 1
      if (end === data.length) break
      const closer = data[end] as number
      if (closer === 0x7d) throw new UnreadableInput(line, 'A closing brace has no opening one.')
      finish(records)
      place = closer === COMMA ? 'next value' : 'after the array'
    }
  }

  return {
    push(data) {
      if (unreadable) throw unreadable
      const records: ReadRecord[] = []
      try {
        readChunk(data, records)
      } catch (error) {
        if (!(error instanceof UnreadableInput) || records.length === 0) throw error
        // Records before the error count; it is thrown by the next call.
        unreadable = error
      }
      return records
    },
    end() {
      if (unreadable) throw unreadable
      if (place === 'before the array')
        throw new UnreadableInput(1, `The input is empty. ${notAnArray}`)
      if (place === 'in a value') {
        const what = isString ? 'A string' : depth > 0 ? 'An object or array' : 'The array'
        const message = `${what} is never closed: the input ends in the record that begins here.`
        throw new UnreadableInput(startLine, message)
      }
      if (place === 'after the array') return []
      throw new UnreadableInput(line, 'The input ends before the end of the array.')
    },
  }
}

const notAnArray =
  'This form is one JSON array of animals, which begins with [. For an object on each line choose the form ndjson.'
