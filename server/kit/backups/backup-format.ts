// The format of a backup, the same for both engines: one file of blocks.
//
//   "animal-store backup 1\n"
//   block: type (1 byte), coding (1), 0 (2), stored bytes (4), plain bytes (4), then the stored bytes, then a SHA-256
//          of the previous block's SHA-256, the head and the stored bytes. Integers are little-endian.
//
// The first block is the header; then the key file, if it is included; each table is a table block and its rows; the
// last block is the manifest, with the rows and the SHA-256 of each table. So a byte that changes, a block that is
// missing, moved or repeated, and a file that is cut or continued are all detected. The digests are no signature.
//
// A row has for each value a tag, then 8 bytes of an integer, or the length and the bytes of a text or of bytes. Equal rows
// have equal bytes on both engines, so that tables can be compared by a digest.
import { constants, zstdCompressSync } from 'node:zlib'
import type { Value } from '../database/query.ts'

/** What is no data of the installation: which migrations it has, a mark of an earlier version, and who runs. */
export const tablesLeftOut = `('migrations', 'read_only', 'processes')`

export const magic = Buffer.from('animal-store backup 1\n')
export const headBytes = 12
export const digestBytes = 32

export const blockTypes = { header: 1, table: 2, rows: 3, key: 4, manifest: 5 } as const
export type BlockType = keyof typeof blockTypes

/** How the bytes of a block are stored. */
export const codings = { plain: 0, zstd: 1 } as const

export const columnTypes = ['int64', 'text', 'bytes'] as const
export type ColumnType = (typeof columnTypes)[number]

export interface Column {
  name: string
  type: ColumnType
}

export interface TableShape {
  name: string
  columns: Column[]
  /** The columns of the primary key, in order: rows are stored in the order of their bytes. */
  key: string[]
}

export interface DatabaseShape {
  name: string
  /** Id of its last migration. */
  version: number
  tables: TableShape[]
}

export interface BackupHeader {
  /** Version of the program that wrote it. */
  program: string
  /** RFC 3339: every commit that was acknowledged before is part of the backup. */
  createdAt: string
  engine: 'sqlite' | 'postgres'
  /** The installation whose schedule made it; null for a backup by command. */
  scheduledBy: string | null
  databases: DatabaseShape[]
}

export interface TableSum {
  database: string
  table: string
  rows: number
  /** SHA-256 of its encoded rows in order, in hex: equal on both engines for equal rows. */
  sha256: string
}

export interface BackupManifest {
  tables: TableSum[]
}

interface EncodedBlock {
  head: Buffer
  stored: Buffer
}

const level = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }

/** Compressed where that saves anything: most files of sites are compressed already. */
export function encodeBlock(type: BlockType, plain: Buffer): EncodedBlock {
  const compressed = zstdCompressSync(plain, level)
  const isSmaller = compressed.length < plain.length
  const stored = isSmaller ? compressed : plain
  const head = Buffer.alloc(headBytes)
  head[0] = blockTypes[type]
  head[1] = isSmaller ? codings.zstd : codings.plain
  head.writeUInt32LE(stored.length, 4)
  head.writeUInt32LE(plain.length, 8)
  return { head, stored }
}

/** Every database of an installation: files on SQLite, schemas on PostgreSQL. */
export const installedDatabases = ['production', 'staging', 'publishing', 'limits'] as const

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

/** A backup that cannot be written, read or restored. The message is one line: what, of which file, and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

/** The same error where it is a BackupError; otherwise one that says what could not be done with the file. */
export function asBackupError(error: unknown, file: string, action: string): unknown {
  if (error instanceof BackupError) return error
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  return new BackupError(`${file} cannot be ${action}: ${reasonOf(code)}`, { cause: error })
}

/** The same for an error of SQLite, whose message has no file. */
export function asSqliteError(error: unknown, database: string, action: string): unknown {
  const { errcode, message } = error as { errcode?: unknown; message?: string }
  if (typeof errcode !== 'number') return error
  return new BackupError(`The database ${database} cannot be ${action}: ${message}.`, {
    cause: error,
  })
}

function reasonOf(code: string): string {
  const reasons: Record<string, string> = {
    ENOSPC: 'the disk is full (ENOSPC).',
    EDQUOT: 'the disk quota is used up (EDQUOT).',
    EACCES: 'this user may not (EACCES).',
    ENOENT: 'it does not exist (ENOENT).',
    EISDIR: 'it is a folder (EISDIR).',
    ENOTDIR: 'it is no folder (ENOTDIR).',
    EROFS: 'the file system is read-only (EROFS).',
  }
  return reasons[code] ?? `${code}.`
}
