// Records of NDJSON: a JSON value on each line. Blank lines are skipped.
import { type ReadRecord, type RecordReader, readJsonRecord, tooLong } from './record.ts'
import { type EndFinder, isBlank, LINE_FEED, LineSplitter, type Piece } from './split-lines.ts'

export function ndjsonReader(): RecordReader {
  const splitter = new LineSplitter(lineFeedFinder())
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

function lineFeedFinder(): EndFinder {
  let seen = 0
  return {
    find(data, from) {
      const end = data.indexOf(LINE_FEED, from)
      if (end < 0) seen = data.length
      return end
    },
    get seen() {
      return seen
    },
    drop(count) {
      seen -= count
    },
  }
}
