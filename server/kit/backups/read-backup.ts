// Reads a backup and checks every byte of it. Errors are BackupErrors that name the file.
import { hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { zstdDecompressSync } from 'node:zlib'
import type { Value } from '../database/query.ts'
import {
  asBackupError,
  BackupError,
  type BackupHeader,
  type BackupManifest,
  type BlockType,
  blockTypes,
  codings,
  decodeRows,
  digestBytes,
  headBytes,
  magic,
  type TableShape,
  type TableSum,
} from './backup-format.ts'
import { createTableDigest } from './snapshot.ts'

type BackupPart =
  | { type: 'header'; header: BackupHeader }
  | { type: 'table'; database: string; table: TableShape }
  /** Some rows of the table that was last named; bytes are views. */
  | { type: 'rows'; rows: Value[][] }
  /** The content of the key file, if the backup includes it. */
  | { type: 'key'; content: Buffer }

export interface CheckedBackup {
  header: BackupHeader
  manifest: BackupManifest
  bytes: number
  hasKey: boolean
}

type OnProgress = (doneBytes: number, allBytes: number) => void

/** Reads the whole file. Throws a BackupError if it is damaged, cut or no backup. */
export function verifyBackup(path: string, onProgress?: OnProgress): CheckedBackup {
  const parts = readBackup(path, onProgress)
  for (;;) {
    const { done, value } = parts.next()
    if (done) return value
  }
}

/** The same, with a turn of the event loop after each part. Throws the signal's reason when it aborts. */
export async function verifyInSteps(
  path: string,
  onProgress: OnProgress,
  signal: AbortSignal | undefined,
): Promise<CheckedBackup> {
  const parts = readBackup(path, onProgress)
  try {
    for (;;) {
      const { done, value } = parts.next()
      if (done) return value
      await setImmediate()
      signal?.throwIfAborted()
    }
  } finally {
    // Closes the file.
    parts.return({} as CheckedBackup)
  }
}

/**
 * Gives the parts in the order of the file: each one is checked, but that the file is whole is known only at its end.
 * Throws a BackupError if it is damaged, cut or no backup.
 */
export function* readBackup(
  path: string,
  onProgress: OnProgress = () => {},
): Generator<BackupPart, CheckedBackup> {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    return yield* partsOf(file, onProgress)
  } catch (error) {
    throw asReadError(error, path)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function* partsOf(file: number, onProgress: OnProgress): Generator<BackupPart, CheckedBackup> {
  const bytes = fstatSync(file).size
  let header: BackupHeader | undefined
  let open: { shape: TableShape; sum: ReturnType<typeof createTableDigest> } | undefined
  let manifest: BackupManifest | undefined
  let hasKey = false
  const sums: TableSum[] = []
  const endTable = (): void => {
    if (open) sums.push(open.sum.end())
    open = undefined
  }
  for (const { content, end, type } of blocksOf(file, bytes)) {
    if (manifest) throw new RangeError('a block follows the last one')
    if (type !== 'rows') endTable()
    if (!header) {
      if (type !== 'header') throw new RangeError('the header is missing')
      header = parseJson<BackupHeader>(content)
      yield { type, header }
    } else if (type === 'table') {
      const { database, table } = parseJson<{ database: string; table: string }>(content)
      const shape = findTable(header, database, table)
      open = { shape, sum: createTableDigest(database, table) }
      yield { type, database, table: shape }
    } else if (type === 'rows' && open) {
      const rows: Value[][] = []
      open.sum.add(
        content,
        decodeRows(content, open.shape.columns, (values) => rows.push(values)),
      )
      yield { type, rows }
    } else if (type === 'key') {
      hasKey = true
      yield { type, content }
    } else if (type === 'manifest') {
      manifest = parseJson<BackupManifest>(content)
    } else throw new RangeError(`a block of type ${type} is out of place`)
    onProgress(end, bytes)
  }
  if (!header || !manifest) throw new RangeError('the end is missing: the file was cut')
  compareTables(header, sums, manifest)
  return { header, manifest, bytes, hasKey }
}

/** The header alone; undefined for a file that cannot be read or does not begin as a backup. */
export function readBackupHeader(path: string): BackupHeader | undefined {
  try {
    const [first] = readBackup(path)
    return first?.type === 'header' ? first.header : undefined
  } catch {
    return undefined
  }
}

function asReadError(error: unknown, path: string): unknown {
  if (!(error instanceof RangeError || error instanceof SyntaxError)) {
    return asBackupError(error, path, 'read')
  }
  const message = `${path} is damaged or no backup: ${error.message}. Use another backup.`
  return new BackupError(message, { cause: error })
}

interface Block {
  type: BlockType
  content: Buffer
  /** Its end in the file. */
  end: number
}

const typeNames = new Map(
  Object.entries(blockTypes).map(([name, number]) => [number as number, name as BlockType]),
)

function* blocksOf(file: number, size: number): Generator<Block, void> {
  let at = 0
  const take = (bytes: number): Buffer => {
    if (at + bytes > size) throw new RangeError('it was cut')
    const buffer = Buffer.allocUnsafe(bytes)
    for (let got = 0; got < bytes; ) {
      const read = readSync(file, buffer, got, bytes - got, at + got)
      if (read === 0) throw new RangeError('it was cut')
      got += read
    }
    at += bytes
    return buffer
  }
  if (size < magic.length || !take(magic.length).equals(magic)) {
    throw new RangeError('it does not begin as a backup of this program')
  }
  let digest: Buffer = Buffer.alloc(0)
  while (at < size) {
    const start = at
    const head = take(headBytes)
    const stored = take(head.readUInt32LE(4))
    digest = hash('sha256', Buffer.concat([digest, head, stored]), 'buffer')
    if (!take(digestBytes).equals(digest)) {
      throw new RangeError(`the checksum of the block at byte ${start} is wrong`)
    }
    const type = typeNames.get(head[0] ?? 0)
    if (!type) throw new RangeError(`the block at byte ${start} has an unknown type`)
    const plainBytes = head.readUInt32LE(8)
    const content = head[1] === codings.zstd ? decompress(stored, plainBytes) : stored
    if (content.length !== plainBytes) throw new RangeError('a block has the wrong length')
    yield { type, content, end: at }
  }
}

function decompress(stored: Buffer, plainBytes: number): Buffer {
  try {
    return zstdDecompressSync(stored, { maxOutputLength: Math.max(1, plainBytes) })
  } catch (cause) {
    throw new RangeError('a block cannot be decompressed', { cause })
  }
}

function parseJson<T>(content: Buffer): T {
  // Written by this program, and its digest was checked.
  return JSON.parse(content.toString()) as T
}

function findTable({ databases }: BackupHeader, database: string, table: string): TableShape {
  const { tables = [] } = databases.find(({ name }) => name === database) ?? {}
  const shape = tables.find(({ name }) => name === table)
  if (!shape) throw new RangeError(`the header has no table ${database}.${table}`)
  return shape
}

/** Every table of the header is there once, with the rows and the digest of the manifest. */
function compareTables(
  { databases }: BackupHeader,
  found: TableSum[],
  { tables }: BackupManifest,
): void {
  const named = databases.flatMap(({ name, tables }) =>
    tables.map((table) => `${name}.${table.name}`),
  )
  const sumOf = (sums: TableSum[], name: string) =>
    sums.filter(({ database, table }) => `${database}.${table}` === name)
  for (const name of named) {
    const [is, ...more] = sumOf(found, name)
    const [should] = sumOf(tables, name)
    if (!is || !should || more.length > 0) throw new RangeError(`the table ${name} is missing`)
    if (is.rows !== should.rows || is.sha256 !== should.sha256) {
      throw new RangeError(`the rows of the table ${name} differ from the manifest`)
    }
  }
}

/** The content of the key file in a backup; undefined if it does not include it. */
export function readStoredKey(path: string): Buffer | undefined {
  for (const part of readBackup(path)) {
    if (part.type === 'key') return Buffer.from(part.content)
  }
  return undefined
}
