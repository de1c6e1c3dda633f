// Splits an input into records that end with a line feed; the finder says which line feeds end one.
import { createRecordParts, type RawRecord } from './record.ts'

export const LINE_FEED = 0x0a

/**
 * The index at or after `from` of the line feed that ends a record; -1 when it is not in `data`. Is called for each chunk
 * until it gives -1, and keeps in mind what it has seen of the record.
 */
export type FindEnd = (data: Buffer, from: number) => number

export interface Piece extends RawRecord {
  isTooLong: boolean
}

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
