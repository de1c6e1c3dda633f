// Writes the blocks of a backup to a new file of mode 0600. Everything is synchronous, so that what is read from a
// database is never faster than the disk, and memory is bounded by one block and the largest row.
import { hash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import {
  type BackupHeader,
  type BackupManifest,
  type BlockType,
  encodeBlock,
  magic,
  type TableSum,
} from './backup-format.ts'
import { RowBuffer } from './row-codec.ts'
import { createTableDigest } from './table-digest.ts'

const blockBytes = 1 << 20

interface TableWriter {
  /** Values in the order of the columns. */
  row(values: readonly unknown[]): void
  end(): TableSum
}

/** Throws the errors of the file system as they are. The file must not exist. */
export function createBackupWriter(path: string) {
  const file = openSync(path, 'wx', 0o600)
  const rows = new RowBuffer()
  let digest: Buffer = Buffer.alloc(0)
  let bytes = 0

  function write(...parts: Buffer[]): void {
    for (const part of parts) {
      for (let at = 0; at < part.length; ) at += writeSync(file, part, at)
      bytes += part.length
    }
  }

  function block(type: BlockType, content: Buffer): void {
    const { head, stored } = encodeBlock(type, content)
    digest = hash('sha256', Buffer.concat([digest, head, stored]), 'buffer')
    write(head, stored, digest)
  }

  const jsonBlock = (type: BlockType, value: unknown): void =>
    block(type, Buffer.from(JSON.stringify(value)))

  write(magic)
  return {
    header: (header: BackupHeader) => jsonBlock('header', header),
    table(database: string, table: string): TableWriter {
      jsonBlock('table', { database, table })
      const sum = createTableDigest(database, table)
      const flush = (): void => {
        if (rows.rows === 0) return
        sum.add(rows.content(), rows.rows)
        block('rows', rows.content())
        rows.clear()
      }
      return {
        row(values) {
          rows.add(values)
          if (rows.length >= blockBytes) flush()
        },
        end() {
          flush()
          return sum.end()
        },
      }
    },
    key: (content: Buffer) => block('key', content),
    /** The last block. The file is on disk when this returns its size. */
    finish(manifest: BackupManifest): number {
      jsonBlock('manifest', manifest)
      fsyncSync(file)
      return bytes
    },
    close: () => closeSync(file),
  }
}
