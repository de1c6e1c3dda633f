// The format of a backup, the same for both engines: one file of blocks.
//
//   "animal-store backup 1\n"
//   block: type (1 byte), coding (1), 0 (2), stored bytes (4), plain bytes (4), then the stored bytes, then a SHA-256
//          of the previous block's SHA-256, the head and the stored bytes. Integers are little-endian.
//
// The first block is the header; then the key file, if it is included; each table is a table block and its rows; the
// last block is the manifest, with the rows and the SHA-256 of each table. So a byte that changes, a block that is
// missing, moved or repeated, and a file that is cut or continued are all detected. The digests are no signature.
import { constants, zstdCompressSync } from 'node:zlib'

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
