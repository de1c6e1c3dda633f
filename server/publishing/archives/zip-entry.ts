// One entry of a ZIP's directory, judged before anything of it is unpacked (PKWARE APPNOTE 6.3.10). The
// header beside the data must say the same: another program may believe that one.

import { isUtf8 } from 'node:buffer'
import { type Entry, getFileNameLowLevel, type LocalFileHeader, parseExtraFields } from 'yauzl'
import type { EntryKind } from './admission.ts'

const stored = 0
const deflated = 8
const isEncryptedFlag = 0x1
const sizesFollowFlag = 0x8
const isUtf8Flag = 0x800
const unicodePathField = 0x7075
const zip64Field = 1
const isInZip64 = 0xffffffff

/**
 * The name, decoded. Without a mark of UTF-8 it is that nevertheless when it can be, as Apple's programs
 * write it, else code page 437 (appendix D). U+FFFD is in it when the bytes are neither.
 */
export function nameOf(entry: Entry): string {
  const isMarked =
    (entry.generalPurposeBitFlag & isUtf8Flag) !== 0 ||
    entry.extraFields.some(({ id }) => id === unicodePathField)
  const flags = isMarked || !isUtf8(entry.fileNameRaw) ? entry.generalPurposeBitFlag : isUtf8Flag
  return getFileNameLowLevel(flags, entry.fileNameRaw, entry.extraFields, true)
}

/** By its name and the Unix mode, which most programs write whatever system they run on. */
export function kindOf(entry: Entry, name: string): EntryKind {
  const type = (entry.externalFileAttributes >>> 16) & 0o170000
  const isNamedFolder = name.endsWith('/')
  if (type === 0o040000 && !isNamedFolder) return { other: 'a folder without a slash at its end' }
  if (type === 0o120000) return { other: 'a symbolic link' }
  if (type === 0o020000 || type === 0o060000) return { other: 'a device' }
  if (type === 0o010000) return { other: 'a named pipe' }
  if (type === 0o140000) return { other: 'a socket' }
  if (type !== 0 && type !== 0o100000 && type !== 0o040000) return { other: 'of an unknown kind' }
  return isNamedFolder ? 'folder' : 'file'
}

/** Why the data of the entry cannot be read, in a sentence; undefined when it can. */
export function faultOfEntry(entry: Entry, kind: EntryKind): string | undefined {
  const { compressionMethod: method, compressedSize, uncompressedSize } = entry
  if (entry.generalPurposeBitFlag & isEncryptedFlag) {
    return 'The file is encrypted; pack it without a password.'
  }
  if (method !== stored && method !== deflated) {
    return `The file is packed by method ${method}, which we do not read; pack it with "deflate".`
  }
  if (method === stored && compressedSize !== uncompressedSize) {
    return 'The archive is damaged: a file that is not packed has two sizes.'
  }
  if (kind === 'folder' && uncompressedSize !== 0) {
    return 'The archive is damaged: a folder has content.'
  }
  // What deflate cannot make smaller grows by some bytes for each block, never by a quarter.
  if (compressedSize > uncompressedSize * 1.25 + 1024) {
    return 'The archive is damaged: a file is larger packed than unpacked.'
  }
  return undefined
}

/** What the header beside the data says otherwise than the directory, in a sentence. */
export function faultOfLocalHeader(entry: Entry, local: LocalFileHeader): string | undefined {
  if (!entry.fileNameRaw.equals(local.fileName)) return disagreement('name')
  if (entry.compressionMethod !== local.compressionMethod) return disagreement('packing')
  if ((entry.generalPurposeBitFlag ^ local.generalPurposeBitFlag) & isEncryptedFlag) {
    return disagreement('encryption')
  }
  if (local.generalPurposeBitFlag & sizesFollowFlag) return undefined
  if (entry.crc32 !== local.crc32) return disagreement('checksum')
  const sizes = localSizes(local)
  const isSame =
    sizes.uncompressed === entry.uncompressedSize && sizes.compressed === entry.compressedSize
  return isSame ? undefined : disagreement('size')
}

export function isDeflated(entry: Entry): boolean {
  return entry.compressionMethod === deflated
}

function localSizes(local: LocalFileHeader): { uncompressed: number; compressed: number } {
  let { uncompressedSize: uncompressed, compressedSize: compressed } = local
  if (uncompressed !== isInZip64 && compressed !== isInZip64) return { uncompressed, compressed }
  const field = parseExtraFields(local.extraField).find(({ id }) => id === zip64Field)
  const sizes = field === undefined ? [] : uint64s(field.data)
  if (uncompressed === isInZip64) uncompressed = sizes.shift() ?? -1
  if (compressed === isInZip64) compressed = sizes.shift() ?? -1
  return { uncompressed, compressed }
}

function uint64s(bytes: Buffer): number[] {
  const numbers: number[] = []
  for (let at = 0; at + 8 <= bytes.length; at += 8) numbers.push(Number(bytes.readBigUInt64LE(at)))
  return numbers
}

function disagreement(what: string): string {
  return `The archive is damaged: it gives the file's ${what} in two places, and they differ.`
}
