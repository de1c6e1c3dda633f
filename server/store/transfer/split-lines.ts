// Cuts an input into records that end with a line feed. Where a record ends is the finder's to say, which
// is asked again from where it stopped when more has come, so that the work is linear.
import { maxRecordBytes, type RawRecord } from './record.ts'

export const LINE_FEED = 0x0a
const none = Buffer.alloc(0)

/** Finds the line feed that ends a record. */
export interface EndFinder {
  /** Its index at or after `from`, or -1 when `data` ends before. Keeps in mind what it has seen of the record. */
  find(data: Buffer, from: number): number
  /** Where to go on when `data` has become longer, at or before its end. */
  readonly seen: number
  /** Called when `count` bytes at the start of the data are consumed. */
  drop(count: number): void
}

export interface Piece extends RawRecord {
  isTooLong: boolean
}

export class LineSplitter {
  readonly #finder: EndFinder
  #rest: Buffer = none
  #line = 1
  /** The beginning of a record that has become too long, whose end is not in sight. */
  #long: { line: number; bytes: Uint8Array } | undefined

  constructor(finder: EndFinder) {
    this.#finder = finder
  }

  /** The records that are complete with this chunk, without their line feeds. */
  push(chunk: Buffer): Piece[] {
    const data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    const pieces: Piece[] = []
    let start = 0
    let from = this.#finder.seen
    for (;;) {
      const end = this.#finder.find(data, from)
      if (end < 0) break
      pieces.push(this.#take(data, start, end))
      this.#line++
      start = end + 1
      from = start
    }
    this.#keep(data, start)
    return pieces
  }

  /** The last record, where no line feed ends it. */
  end(): Piece[] {
    if (this.#rest.length === 0 && !this.#long) return []
    return [this.#take(this.#rest, 0, this.#rest.length)]
  }

  #take(data: Buffer, start: number, end: number): Piece {
    const bytes = data.subarray(start, end)
    const long = this.#long
    const piece = long
      ? { ...long, isTooLong: true }
      : {
          line: this.#line,
          bytes: bytes.subarray(0, maxRecordBytes),
          isTooLong: bytes.length > maxRecordBytes,
        }
    this.#long = undefined
    this.#line += countLineFeeds(bytes)
    return piece
  }

  /** Keeps what has begun, unless it is too long already. */
  #keep(data: Buffer, start: number): void {
    const rest = data.subarray(start)
    if (rest.length <= maxRecordBytes && !this.#long) {
      this.#finder.drop(start)
      this.#rest = rest
      return
    }
    const { seen } = this.#finder
    this.#long ??= { line: this.#line, bytes: Buffer.from(rest.subarray(0, maxRecordBytes)) }
    this.#line += countLineFeeds(data.subarray(start, seen))
    this.#finder.drop(seen)
    this.#rest = data.subarray(seen)
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
