// Rows as bytes: for each value a tag, then 8 bytes of an integer, or the length and the bytes of a text or of bytes.
// Equal rows have equal bytes on both engines, so that tables can be compared by a digest.
import type { Value } from '../database/query.ts'
import type { Column } from './backup-format.ts'

const tags = { null: 0, int64: 1, text: 2, bytes: 3 } as const

/** Collects encoded rows. Grows to the largest row, and is reused. */
export class RowBuffer {
  #bytes = Buffer.allocUnsafe(1 << 16)
  #length = 0
  rows = 0

  get length(): number {
    return this.#length
  }

  /** The encoded rows; valid until the next call of `add` or `clear`. */
  content(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  clear(): void {
    this.#length = 0
    this.rows = 0
  }

  /** Values in the order of the columns. Throws a TypeError for a value that no column type has. */
  add(values: readonly unknown[]): void {
    for (const value of values) this.#put(value)
    this.rows += 1
  }

  #put(value: unknown): void {
    if (value === null) {
      this.#reserve(1)
      this.#bytes[this.#length++] = tags.null
    } else if (typeof value === 'bigint' || typeof value === 'number') {
      this.#reserve(9)
      this.#bytes[this.#length] = tags.int64
      this.#length = this.#bytes.writeBigInt64LE(BigInt(value), this.#length + 1)
    } else if (typeof value === 'string') {
      const size = Buffer.byteLength(value)
      this.#tagged(tags.text, size)
      this.#length += this.#bytes.write(value, this.#length)
    } else if (value instanceof Uint8Array) {
      this.#tagged(tags.bytes, value.length)
      this.#bytes.set(value, this.#length)
      this.#length += value.length
    } else {
      throw new TypeError(`a value of type ${typeof value} cannot be part of a backup`)
    }
  }

  #tagged(tag: number, size: number): void {
    this.#reserve(5 + size)
    this.#bytes[this.#length] = tag
    this.#length = this.#bytes.writeUInt32LE(size, this.#length + 1)
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}

/** Calls `visit` with the values of each row; bytes are views. Throws a RangeError if the content is not whole rows. */
export function decodeRows(
  content: Buffer,
  columns: readonly Column[],
  visit: (values: Value[]) => void,
): number {
  let at = 0
  let rows = 0
  const take = (size: number): number => {
    const start = at
    at += size
    if (at > content.length) throw new RangeError('a row is cut')
    return start
  }
  const readValue = ({ name, type }: Column): Value => {
    const tag = content[take(1)]
    if (tag === tags.null) return null
    if (tag !== tags[type]) throw new RangeError(`the column ${name} has a value of another type`)
    if (tag === tags.int64) return content.readBigInt64LE(take(8))
    const size = content.readUInt32LE(take(4))
    const start = take(size)
    return tag === tags.text
      ? content.toString('utf8', start, start + size)
      : content.subarray(start, start + size)
  }
  while (at < content.length) {
    visit(columns.map(readValue))
    rows += 1
  }
  return rows
}
